"""Check input before it is used: names, days, values, refusals."""
