"""Database access: write transactions and prepared statements."""
