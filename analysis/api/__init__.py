"""The JSON API for programs, under /api/v1/: the rights of the pages, the words of the pages, no session."""
