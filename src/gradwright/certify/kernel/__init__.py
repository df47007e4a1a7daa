"""The trusted kernel: what StableHLO operations mean, and when two meanings are equal."""
