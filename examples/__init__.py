"""Examples of what works beside Anatomark; the product imports none of them."""
