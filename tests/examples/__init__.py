"""The examples, which are no part of the product."""
