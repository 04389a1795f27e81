"""The guideline of a project: its texts, decisions, examples and versions."""
