"""Publication bundles: a whole project as one zip, and a project made of such a zip."""
