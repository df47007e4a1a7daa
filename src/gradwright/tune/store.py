"""What was found on this machine, kept on disk: a JSON file for each site.

Everything that a finding depends on besides the site is in the name of the folder and in the file.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import cast

from gradwright.errors import GradwrightError, SpecError
from gradwright.layers import Choice, Layout, Site
from gradwright.layers.domains import is_defined
from gradwright.layers.forms import FORMS, Form
from gradwright.run import Backend, Cache, current_settings
from gradwright.run.compiler import backend_version
from gradwright.run.machine import cpu_name
from gradwright.train.storage import reported, write_atomically
from gradwright.tune.verdict import Tuning

FORMAT = "gradwright-tuning-1"
FOLDER = "tuned"
"""Beside the compiled programs of the user."""


@dataclass(frozen=True)
class Store:
    """The findings for one backend in one layout on this machine, with its settings."""

    backend: Backend
    layout: Layout
    root: Path = field(default_factory=lambda: Cache().folder / FOLDER)

    @cached_property
    def machine(self) -> Mapping[str, str]:
        """What times depend on, by name."""
        return {
            "gradwright": version("gradwright"),
            "backend": f"{self.backend.value} {backend_version(self.backend)}",
            "layout": self.layout.value,
            "cpu": cpu_name(),
            "threads": str(current_settings().threads),
        }

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.root / _digest(self.machine)

    def write(self, tuning: Tuning) -> None:
        """Keep a finding in place of an older one; errors: CheckpointError."""
        record = self._about(tuning.site) | {
            "clock": tuning.clock.value,
            "usual_ms": round(tuning.usual_ms, 4),
            "chosen_ms": round(tuning.chosen_ms, 4),
            "error": tuning.error,
            "forms": [repr(form) for form in tuning.forms],
        }
        with reported(self.folder, "a folder that can be written to"):
            for folder in (self.root.parent, self.root, self.folder):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        text = json.dumps(record, indent=2, allow_nan=False)
        write_atomically(self._path(tuning.site), f"{text}\n".encode())

    def read(self, site: Site) -> tuple[Choice, ...] | None:
        """Return what was chosen at a site, None where nothing was measured.

        Errors: SpecError where the file is no finding of this machine about this site.
        """
        path = self._path(site)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error.strerror or type(error).__name__) from error
        forms = self._forms(path, content, site)
        return tuple(Choice(site, form) for form in forms)

    def _forms(self, path: Path, content: bytes, site: Site) -> Sequence[Form]:
        try:
            parsed: object = json.loads(content)
        except ValueError:
            raise _unreadable(path, f"{len(content):,} bytes that are no JSON") from None
        record = cast("dict[str, object]", parsed if isinstance(parsed, dict) else {})
        for name, value in self._about(site).items():
            if record.get(name) != value:
                raise _unreadable(path, f"another {name}")
        names = record.get("forms")
        listed = cast("list[object]", names if isinstance(names, list) else [])
        forms = [FORMS[name] for name in map(str, listed) if name in FORMS]
        parts = {type(form) for form in forms if is_defined(form, site, self.layout)}
        if not parts or len(parts) != len(listed):
            raise _unreadable(path, f"forms {names!r}")
        return forms

    def _about(self, site: Site) -> dict[str, object]:
        return {"format": FORMAT, "machine": dict(self.machine), "site": _site_record(site)}

    def _path(self, site: Site) -> Path:
        return self.folder / f"{_digest(_site_record(site))}.json"


def _unreadable(path: Path, found: str) -> GradwrightError:
    return SpecError(
        where=str(path),
        expected="what `gradwright tune` found at this site on this machine",
        found=found,
        remedy="Delete the file and run gradwright tune again",
    )


def _site_record(site: Site) -> dict[str, object]:
    """Return a site as JSON gives it back."""
    record = asdict(site) | {"primitive": site.primitive.value}
    return json.loads(json.dumps(record))


def _digest(record: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:32]
