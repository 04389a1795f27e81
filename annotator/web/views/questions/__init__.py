"""Questions on images and announcements, for annotators and for leads."""
