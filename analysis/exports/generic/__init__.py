"""Files of every protocol: all they know of an answer are the ratings of its variables."""
