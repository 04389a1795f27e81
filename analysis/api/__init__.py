"""The JSON API under /api/v1/: the permissions and messages of the pages, without sessions."""
