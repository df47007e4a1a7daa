"""Claims on a terminal while they are settled: tally, the latest of them, what is worked on."""

import time
from collections import Counter, deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from gradwright.certify import Claim

COLOURS = {"proved": "green", "refuted": "red", "unknown": "yellow"}
# A table taller than the terminal would be cut at its end, where the news are.
_LATEST = 12
_SLOW = 0.05


class LiveClaims:
    """What a terminal shows of claims; `observe` and `work_on` are told to the certifier."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._latest: deque[Claim] = deque(maxlen=_LATEST)
        self._work = "reading"
        self._started = self._begun = time.perf_counter()
        self._spinner = Spinner("dots")

    def observe(self, claim: "Claim") -> None:
        """Take a settled claim in."""
        self._counts[claim.verdict.value] += 1
        self._latest.append(claim)

    def work_on(self, what: str) -> None:
        """Say what is worked on from now."""
        self._work, self._begun = what, time.perf_counter()

    def __rich__(self) -> Group:
        """Draw the present state; the display asks for it several times a second."""
        now = time.perf_counter()
        self._spinner.update(text=Text(f"{self._work}  {now - self._begun:.1f} s"))
        return Group(self._tally(now), self._table(), self._spinner)

    def _tally(self, now: float) -> Text:
        total = self._counts.total()
        line = Text(
            f"{total} claim{'' if total == 1 else 's'} settled in {now - self._started:.1f} s"
        )
        for verdict, colour in COLOURS.items():
            if self._counts[verdict]:
                line.append(f"  {self._counts[verdict]} {verdict}", style=colour)
        return line

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for head in ("claim", "kind", "verdict"):
            table.add_column(head)
        table.add_column("seconds", justify="right")
        earlier = self._counts.total() - len(self._latest)
        if earlier:
            table.add_row(f"… {earlier} before", style="dim")
        for claim in self._latest:
            verdict = claim.verdict.value
            seconds = Text(f"{claim.seconds:.2f}", style="" if claim.seconds > _SLOW else "dim")
            word = Text(verdict, style=COLOURS[verdict])
            table.add_row(Text(claim.name), claim.kind.value, word, seconds)
        return table


@contextmanager
def live_claims() -> Generator[LiveClaims]:
    """Show claims on standard error while the work goes on, if that is a terminal."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    shown = LiveClaims()
    if not console.is_terminal:
        yield shown
        return
    with Live(shown, console=console, transient=True, refresh_per_second=8):
        yield shown
