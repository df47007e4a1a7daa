"""What a trained net is used for: saliency."""

from gradwright.tasks.saliency import Explanation, explain, grad_cam

__all__ = ["Explanation", "explain", "grad_cam"]
