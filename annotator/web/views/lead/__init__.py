"""Pages for leads: images, batches, people, progress, history."""
