"""Publication bundles: export a whole project as one zip and restore a project from it."""
