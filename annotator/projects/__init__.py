"""Projects: a new one, what its lead sees of it, its prompts."""
