"""Two stages of one study: which they are, their answers, and the report that compares them."""
