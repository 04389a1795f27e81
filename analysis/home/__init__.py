"""The lead's home: what needs a lead, the progress, and the headline numbers over time."""
