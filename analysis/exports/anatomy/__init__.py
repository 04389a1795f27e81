"""The files of the anatomy protocol: its marks, the scores that are made of them, the published sheet."""
