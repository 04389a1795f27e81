"""Import files of annotations, and of other rows about images."""
