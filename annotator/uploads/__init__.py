"""What a lead brings: received piece by piece, read, looked at, and only then stored."""
