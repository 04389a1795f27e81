"""Files of annotations in, and sheets of a queue out."""
