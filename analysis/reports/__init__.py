"""Reports as stored results: requested, computed, kept and compared with later changes."""
