"""The painter of the demo: people with known errors, drawn from numbers."""
