"""The table of nets that holds every block, small, with distinct extents."""

from gradwright.probes.blocks import BLOCKS as PROBES
from oracles.subject import Subject

BLOCKS = {name: Subject(probe.layers, probe.input, probe.batch) for name, probe in PROBES.items()}
"""Every block alone, in each of its shapes."""
