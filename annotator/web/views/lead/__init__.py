"""What leads see: images, batches, people, progress, history."""
