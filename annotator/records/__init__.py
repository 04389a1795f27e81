"""Records: history, sealed events, accounts, deletion, retention."""
