"""What people type and send, checked before anything is made of it: names, days, values, refusals."""
