"""Changes of annotators in a plan: keep finished work, reassign the rest, include newcomers."""
