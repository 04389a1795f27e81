"""Statistics for any protocol, from the values of its variables alone."""
