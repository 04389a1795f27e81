"""Results as tables, the same on the page and in the terminal. Rounding happens here only."""
