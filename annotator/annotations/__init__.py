"""Annotations: save, submit, reopen and skip them, the annotators' queues, and adjudication."""
