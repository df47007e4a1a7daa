"""What the trusted kernel asks for and does not trust: names to try, digits, points to look at."""
