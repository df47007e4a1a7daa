"""Operations without a denotation: the list of them in the docs."""

import re
from pathlib import Path

from gradwright.certify.kernel.denote import RULES

PAGE = Path(__file__).parents[3] / "docs" / "certify.md"
ON_BOOLEANS = {"and", "or", "xor", "not"}


def test_the_docs_list_what_has_no_denotation() -> None:
    text = PAGE.read_text("utf-8").partition("These operations have no denotation")[2]
    listed = set(re.findall(r"`(\w+)`", text.partition("- whatever talks")[0])) - ON_BOOLEANS
    assert len(listed) > 20
    assert not {f"stablehlo.{name}" for name in listed} & set(RULES)
