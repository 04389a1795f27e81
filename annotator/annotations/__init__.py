"""What annotators give: saving, submitting, reopening, skipping, their queue, and adjudication."""
