"""The pages of reports and exports."""
