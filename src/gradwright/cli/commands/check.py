"""`gradwright check`: replay a certificate against the text that it is about."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.exits import Exit
from gradwright.cli.output import write_json, write_line
from gradwright.cli.sources import Sources
from gradwright.errors import CertificateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradwright.check import Checked

# Bytes of a certificate; the largest of the named nets takes a hundred thousand.
_LIMIT = 64 << 20


def check(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="What `certify --certificate` wrote.")
    ],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="The text; two for a pair of texts.")
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Replay a certificate, without search.

    That is a second implementation, independent of `certify`.
    The exit code is 0 where every claim of the certificate holds, 1 where one does not, 3 where
    the file is no certificate, or one that was written for other texts.
    """
    from gradwright.check.replay import check as replayed

    sources = Sources()
    content = _content(certificate)
    texts = [sources(path) for path in files]
    _require_written_for(certificate, content, list(zip(files, texts, strict=True)))
    with sources.named():
        checked = replayed(content, *texts)
    if as_json:
        write_json(_record(checked))
    else:
        _write(checked)
    raise typer.Exit(Exit.DONE if checked.accepted else Exit.MISSED)


def _content(certificate: Path) -> bytes:
    with certificate.open("rb") as stream:
        content = stream.read(_LIMIT + 1)
    if len(content) > _LIMIT:
        expected = f"at most {_LIMIT:,} bytes"
        raise CertificateError(where=str(certificate), expected=expected, found="more")
    return content


def _require_written_for(
    certificate: Path, content: bytes, texts: "Sequence[tuple[Path, bytes]]"
) -> None:
    """CertificateError where a file is no certificate, or one of other texts, by its name."""
    from gradwright.check.certificate import read_certificate
    from gradwright.check.replay import digest

    try:
        read = read_certificate(content)
    except CertificateError as error:
        raise error.at(
            f"{certificate}: {error.where}".removesuffix(": certificate"),
            remedy="The certificate comes first, then the texts",
        ) from error
    if len(texts) != len(read.texts):
        raise CertificateError(
            where=str(certificate),
            expected=f"{_texts(len(read.texts))} beside it, as it was written for",
            found=_texts(len(texts)),
        )
    given = [digest(text) for _, text in texts]
    if given != list(read.texts) and sorted(given) == sorted(read.texts):
        found, remedy = "them in another order", "The forward text, or the first, comes first"
        expected = "the texts in the order that it was written for"
        raise CertificateError(
            where=str(certificate), expected=expected, found=found, remedy=remedy
        )
    for (path, _), one, wanted in zip(texts, given, read.texts, strict=True):
        if one != wanted:
            raise CertificateError(
                where=str(path),
                expected=f"the text that {certificate} was written for, of SHA-256 {wanted[:12]}…",
                found=f"another, of SHA-256 {one[:12]}…",
                remedy="`certify --certificate` writes one for it",
            )


def _texts(count: int) -> str:
    return f"{count} text{'' if count == 1 else 's'}"


def _record(checked: "Checked") -> dict[str, object]:
    from gradwright.check.replay import CONVENTIONS

    return {
        "accepted": checked.accepted,
        "claims": list(checked.claims),
        "conventions": list(CONVENTIONS),
        "hypotheses": list(checked.hypotheses),
        "reason": checked.reason,
        "seconds": round(checked.seconds, 4),
        "statements": list(checked.statements),
        "uncovered": list(checked.uncovered),
    }


def _write(checked: "Checked") -> None:
    from gradwright.check.replay import CONVENTIONS

    if checked.reason is not None:
        write_line(f"rejected: {checked.reason}")
        return
    for claim in checked.claims:
        write_line(f"holds: {claim}")
    for name in checked.uncovered:
        write_line(f"not covered: {name}")
    held = "1 claim holds" if len(checked.claims) == 1 else f"{len(checked.claims)} claims hold"
    open_too = f", {len(checked.uncovered)} not covered" if checked.uncovered else ""
    write_line(f"\n{held}{open_too}, replayed in {checked.seconds:.2f} s")
    for line in (*CONVENTIONS, *checked.hypotheses):
        write_line(f"- {line}")
