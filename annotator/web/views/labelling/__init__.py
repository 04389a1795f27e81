"""What annotators see: the queue, the annotation page, the guide."""
