"""Exports of rating forms beside the generic ones."""
