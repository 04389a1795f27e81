"""What the names of files say about images."""
