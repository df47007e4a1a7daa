"""Pictures and progress for people."""

from gradwright.report.curves import curves_png, draw_curves
from gradwright.report.progress import CurvePicture, ProgressBar, ProgressLines, progress_on

__all__ = [
    "CurvePicture",
    "ProgressBar",
    "ProgressLines",
    "curves_png",
    "draw_curves",
    "progress_on",
]
