"""One module per group of verbs; each imports what it runs only when it runs."""
