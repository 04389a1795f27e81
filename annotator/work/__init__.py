"""Durable background work: rows with leases that workers claim."""
