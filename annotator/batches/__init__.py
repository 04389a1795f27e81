"""Batches: plan, release, progress, change of annotators, second stage."""
