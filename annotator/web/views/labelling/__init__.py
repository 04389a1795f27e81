"""What annotators see: the queue, the labelling page, the guide."""
