"""Tools that make data of the product and are no part of what is installed."""
