"""Clients that save while a nemesis kills what serves them, and a ledger that neither can touch."""
