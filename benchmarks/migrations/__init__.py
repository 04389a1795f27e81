"""A database of an earlier version, brought to this one and compared."""
