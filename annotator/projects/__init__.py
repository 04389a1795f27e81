"""Projects: creation, overview, prompts."""
