"""One module per format of uploaded files, and their common checks."""
