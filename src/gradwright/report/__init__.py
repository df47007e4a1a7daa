"""Pictures and progress for people."""

from gradwright.report.curves import curves_png, draw_curves

__all__ = ["curves_png", "draw_curves"]
