"""How the property tests of this folder run."""

from hypothesis import settings

# No test may depend on how fast the machine is.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
