"""The printed numbers of Muhr et al. (2024) from the published data, without the code of the reports."""
