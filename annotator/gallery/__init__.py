"""Galleries: a project's images, filtered, in order, page by page."""
