"""Is this text the gradient of that text: denotation, normal form, calculus, verdicts."""
