"""The rules of judging defects: verdicts, masks with descriptions, their check, and one reference."""
