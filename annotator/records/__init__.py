"""Records: history, accounts, deletion, personal data."""
