"""Studies in: images and annotations from a folder."""

from annotator.imports.report import StudyImport, StudyRefused
from annotator.imports.study import import_study

__all__ = ["StudyImport", "StudyRefused", "import_study"]
