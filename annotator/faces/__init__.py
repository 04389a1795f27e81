"""Faces of images: where they are, and the copies in which they are blurred."""
