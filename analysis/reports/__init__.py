"""Reports as stored results: requested, computed, kept, compared with what has changed since."""
