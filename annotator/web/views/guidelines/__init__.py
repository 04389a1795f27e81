"""Pages of a guideline: reading, editing, publishing."""
