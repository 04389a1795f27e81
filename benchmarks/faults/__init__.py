"""Clients that save while a nemesis kills the servers, and an external ledger."""
