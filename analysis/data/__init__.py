"""From rows to the table that the statistics read, and what is not counted."""
