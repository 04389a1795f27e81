"""Pages on which leads invite and recruit people."""
