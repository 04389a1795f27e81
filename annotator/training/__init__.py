"""References, and training with them."""
