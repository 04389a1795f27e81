"""Records: history, accounts, deletion, retention."""
