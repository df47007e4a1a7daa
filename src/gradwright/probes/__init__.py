"""Every loss and every block alone, with gradients that differences and the prover check."""

from gradwright.probes.check import PROBES, Checked, check_probe, probe_named
from gradwright.probes.differences import DIFFERENCE_TOLERANCE, ROUNDING_TOLERANCE, Measured
from gradwright.probes.probe import LayerProbe, LossProbe

__all__ = [
    "DIFFERENCE_TOLERANCE",
    "PROBES",
    "ROUNDING_TOLERANCE",
    "Checked",
    "LayerProbe",
    "LossProbe",
    "Measured",
    "check_probe",
    "probe_named",
]
