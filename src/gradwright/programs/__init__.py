"""Entry points: a net becomes one StableHLO text per purpose."""

from gradwright.programs.abi import STANDARD, Abi, Cotangent, Fused, Packed, Reported, Standard
from gradwright.programs.capture import capture, saliency
from gradwright.programs.inference import eval, forward
from gradwright.programs.program import Program
from gradwright.programs.state import init, initial_state
from gradwright.programs.training import optimizer_step, train_step, vjp

__all__ = [
    "STANDARD",
    "Abi",
    "Cotangent",
    "Fused",
    "Packed",
    "Program",
    "Reported",
    "Standard",
    "capture",
    "eval",
    "forward",
    "init",
    "initial_state",
    "optimizer_step",
    "saliency",
    "train_step",
    "vjp",
]
