"""Statistics for every protocol: all they know of an answer are the values of its variables."""
