"""A verb of the command line: what it was asked is looked over before it begins to work."""

from typing import Any

from typer.core import TyperCommand

from gradwright.cli.heeded import require_heeded
from gradwright.cli.paths import require_paths
from gradwright.cli.request import Request


class Verb(TyperCommand):
    """Refuses options that nothing reads, files that are not there, and outputs over inputs."""

    # The type of the context is private to typer, and what a command returns is anything.
    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as typer
        """Look the request over, then run the verb."""
        request = Request.of(ctx)
        require_heeded(request)
        require_paths(request)
        return super().invoke(ctx)
