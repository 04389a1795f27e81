"""Import studies (images and annotations of a folder) and files of annotations.

Names are imported on first use: the process that reads uploaded files (`annotator.exchange.child_process`)
imports modules of this package and must not load those of the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotator.exchange.formats.report import StudyImport, StudyRefused
    from annotator.exchange.study import import_study

__all__ = ["StudyImport", "StudyRefused", "import_study"]


def __getattr__(name: str) -> Any:
    if name == "import_study":
        from annotator.exchange.study import import_study

        return import_study
    if name in __all__:
        from annotator.exchange.formats import report

        return getattr(report, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
