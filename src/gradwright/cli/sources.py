"""Files with texts, each read once, and named in what is said about them."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gradwright.errors import ParseError, UnsupportedError

# Bytes; what never ends, such as a device, must not fill the memory.
_LIMIT = 1 << 30


@dataclass(frozen=True, slots=True)
class Sources:
    """What the files of one command hold: a pipe gives it once, and a file may change meanwhile."""

    _known: dict[Path, bytes] = field(default_factory=dict[Path, bytes])

    def __call__(self, path: Path) -> bytes:
        """Return the bytes of a file; ParseError where there are too many to be a text."""
        if path not in self._known:
            with path.open("rb") as stream:
                content = stream.read(_LIMIT + 1)
            if len(content) > _LIMIT:
                expected = f"at most {_LIMIT:,} bytes of StableHLO"
                raise ParseError(where=str(path), expected=expected, found="more")
            self._known[path] = content
        return self._known[path]

    def text(self, path: Path) -> str:
        """Return a file as text; ParseError where its bytes are no UTF-8."""
        try:
            return self(path).decode()
        except UnicodeDecodeError as error:
            found = f"0x{error.object[error.start]:02x} at byte {error.start}"
            raise ParseError(where=str(path), expected="UTF-8 text", found=found) from None

    @contextmanager
    def named(self) -> Generator[None]:
        """Put the file in front of the line and column of an error about a text."""
        try:
            yield
        except (ParseError, UnsupportedError) as error:
            path = self._culprit(error)
            if path is None:
                raise
            raise error.at(f"{path}:{error.where}") from error

    def _culprit(self, error: ParseError | UnsupportedError) -> Path | None:
        """Return the first file that gives the same error when it is read alone."""
        from gradwright.certify.texts_calls import inlined
        from gradwright.hlo import read_module

        for path, content in self._known.items():
            try:
                inlined(read_module(content))
            except (ParseError, UnsupportedError) as found:
                if str(found) == str(error):
                    return path
        return None
