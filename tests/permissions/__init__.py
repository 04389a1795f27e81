"""Access to every address: the table, two projects that must not leak, and the walk over all cells."""
