"""The JSON API under /api/v1/: what the pages show, read by programs with a token."""
