"""Tools that make files of the documentation and are not installed with the product."""
