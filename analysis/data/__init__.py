"""Build the table that the statistics read, and count what is left out."""
