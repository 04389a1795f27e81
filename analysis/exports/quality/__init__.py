"""Exports of anchors and repeats."""
