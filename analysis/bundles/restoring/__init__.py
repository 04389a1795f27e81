"""Reading a publication bundle back into a project."""
