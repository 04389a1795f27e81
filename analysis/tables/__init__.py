"""Results as tables for people: the same ones on the page and in the terminal. Rounding happens here only."""
