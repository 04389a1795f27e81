"""Exports of the anatomy protocol: marks, scores and the published sheet."""
