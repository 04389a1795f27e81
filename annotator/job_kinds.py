"""Which function does which kind of job.

A package registers its kinds in `AppConfig.ready`, so web and worker know the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.models import Job
from annotator.steps import Steps

Run = Callable[[Job, Steps], Mapping[str, Any]]


@dataclass(frozen=True)
class JobKind:
    """`title` is what the page calls it; `run` does it, and may be run again after a crash half-way.

    `run` returns a JSON object; its `url`, where given, is where the page leads on to, its `words` say
    what came out.
    """

    slug: str
    title: str
    run: Run


_KINDS: dict[str, JobKind] = {}


def register(kind: str, run: Run, *, title: str = "") -> None:
    """Make a kind known. Modules that cost much to load are imported inside `run`."""
    _KINDS[kind] = JobKind(kind, title or kind.replace("-", " ").replace("_", " ").capitalize(), run)


def job_kind(kind: str) -> JobKind:
    """Return a registered kind; raises KeyError."""
    return _KINDS[kind]


def title_of(kind: str) -> str:
    """Return what a kind is called; its slug where this version of the program does not know it."""
    return _KINDS[kind].title if kind in _KINDS else kind
