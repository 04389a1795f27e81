"""What is kept and for how long: history, sealed events, accounts, deletion, retention."""
