"""The bytes of two projects' results: what a change of structure must not change."""
