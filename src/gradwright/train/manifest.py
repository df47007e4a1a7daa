"""The manifest of a run: what was run, with what, on what."""

import json
import os
import platform
import uuid
from collections.abc import Mapping
from importlib.metadata import version

from gradwright.data import Dataset
from gradwright.run import Executable
from gradwright.train.feed import Feed
from gradwright.train.parts import Parts

FORMAT = "gradwright-run-1"


def describe_run(
    parts: Parts, dataset: Dataset, feed: Feed, executable: Executable, identity: Mapping[str, str]
) -> dict[str, object]:
    """Return a new run's manifest; it holds no path and no name of the machine."""
    schedule = feed.schedule
    return {
        "format": FORMAT,
        "run_id": uuid.uuid4().hex,
        "identity": dict(identity),
        "net": {
            "name": parts.net.name,
            "input": list(parts.net.input.shape),
            "parameters": parts.net.parameter_count,
            "sha256": parts.net.fingerprint,
        },
        "program": json.loads(executable.manifest.to_json()),
        "formulation": list(parts.formulation.described) if parts.formulation else [],
        "data": {
            "name": dataset.name,
            "classes": list(dataset.classes),
            "train": len(dataset.train),
            "test": len(dataset.test),
            "mean": list(dataset.mean),
            "std": list(dataset.std),
            "sha256": identity["data.sha256"],
        },
        "options": feed.options.as_texts(),
        "schedule": {
            "steps_per_epoch": feed.steps_per_epoch,
            "total_steps": schedule.total_steps,
            "warmup_steps": schedule.warmup_steps,
        },
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("gradwright", "jaxlib", "numpy", "safetensors")},
        },
        "host": {
            "system": platform.system(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        },
    }
