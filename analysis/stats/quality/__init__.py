"""The quality of each annotator's work while it runs: anchors, repeats, speed and severities."""
