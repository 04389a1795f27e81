"""Quality of annotators: charts, repeats, habits and verdicts."""
