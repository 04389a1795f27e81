"""The overview of a project: what needs a lead, the progress, and the headline numbers over time."""
