"""Which function does which kind of job.

A package registers its kinds in `AppConfig.ready`, so web and worker know the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.models import Job
from annotator.work.steps import Steps

Run = Callable[[Job, Steps], Mapping[str, Any]]


@dataclass(frozen=True)
class JobKind:
    """`title` is what the page calls it; `run` does it, and may be run again after a crash half-way.

    `reads_files` says that it reads what people have brought: such work has a queue of its own.

    `run` returns a JSON object; its `url`, where given, is where the page leads on to, its `words` say
    what came out.
    """

    slug: str
    title: str
    run: Run
    reads_files: bool = False


_KINDS: dict[str, JobKind] = {}


def register(kind: str, run: Run, *, title: str = "", reads_files: bool = False) -> None:
    """Make a kind known. Modules that cost much to load are imported inside `run`."""
    title = title or kind.replace("-", " ").replace("_", " ").capitalize()
    _KINDS[kind] = JobKind(kind, title, run, reads_files)


def job_kind(kind: str) -> JobKind:
    """Return a registered kind; raises KeyError."""
    return _KINDS[kind]


def kinds_that_read_files() -> list[str]:
    """Return the kinds of jobs that read what people have brought."""
    return [kind.slug for kind in _KINDS.values() if kind.reads_files]


def title_of(kind: str) -> str:
    """Return what a kind is called; its slug where this version of the program does not know it."""
    return _KINDS[kind].title if kind in _KINDS else kind
