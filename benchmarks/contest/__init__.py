"""A race between programs that train one net: a process each, slices of time in turn."""
