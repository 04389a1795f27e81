"""A realism metric learned from exported pairs, outside the product."""
