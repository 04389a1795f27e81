"""Questions on images, for annotators and for leads."""
