"""How the database is written and asked: transactions that are tried again, prepared statements."""
