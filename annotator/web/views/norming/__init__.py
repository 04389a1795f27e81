"""Pages of norming sessions."""
