"""How images are judged on a page: one folder for each protocol, one line for each in `registry`."""
