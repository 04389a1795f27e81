"""From scored images to a data set: filters, splits, pairs. Any protocol with a score from 1 to 10 can use it."""
