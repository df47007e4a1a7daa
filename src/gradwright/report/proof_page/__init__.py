"""One self-contained page of HTML about a report of the certifier."""

from gradwright.report.proof_page.page import proof_page, write_proof_page
from gradwright.report.proof_page.statements import NamedText

__all__ = ["NamedText", "proof_page", "write_proof_page"]
