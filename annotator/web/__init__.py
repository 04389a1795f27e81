"""The pages: addresses, forms, views."""
