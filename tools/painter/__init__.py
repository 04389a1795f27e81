"""Draw people with known anatomical errors from numbers."""
