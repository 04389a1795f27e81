"""The pages of the protocols: one folder per protocol, registered in `registry`."""
