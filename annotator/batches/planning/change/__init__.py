"""Changes of people in a plan: what stays, what moves, what newcomers take."""
