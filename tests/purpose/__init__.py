"""What an assignment is for: what counts does not change with it, and annotators never learn of it."""
