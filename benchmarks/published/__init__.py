"""Nets of published size in plain jax.numpy, whose train steps JAX writes."""
