"""Publication bundles: a whole project as one zip."""
