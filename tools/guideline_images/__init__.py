"""Draw the images of the guidelines."""
