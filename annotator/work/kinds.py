"""The registry of job kinds.

`AppConfig.ready` imports what registers them, so that web and worker have the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.models import Job
from annotator.work.leases import Steps

Run = Callable[[Job, Steps], Mapping[str, Any] | None]
Awaits = Callable[[Job], str]


@dataclass(frozen=True)
class JobKind:
    """A kind of job: `title` is for pages; `run` carries it out and may be retried after a crash.

    `reads_files`: it reads uploaded files, which have a separate queue. `awaits` returns what a running job
    needs first, as a sentence, or empty. `section` is where its page stands in the navigation of a project.

    `run` returns a JSON object, or None if it has ended the row itself. The object's optional `url` is the
    page to continue on, its `words` describe the result.
    """

    slug: str
    title: str
    run: Run
    reads_files: bool = False
    awaits: Awaits | None = None
    section: str = "overview"


_KINDS: dict[str, JobKind] = {}


def runs(kind: str, *, title: str, **how: Any) -> Callable[[Run], Run]:
    """Return a decorator of the function that carries out jobs of a kind; `how` are fields of `JobKind`.

    `AppConfig.ready` imports its module. Import expensive modules inside the function.
    """

    def registered(run: Run) -> Run:
        _KINDS[kind] = JobKind(kind, title, run, **how)
        return run

    return registered


def job_kind(kind: str) -> JobKind | None:
    """Return a kind; None if it is not registered."""
    return _KINDS.get(kind)


def kinds_that_read_files() -> list[str]:
    """Return the kinds of jobs that read uploaded files."""
    return [kind.slug for kind in _KINDS.values() if kind.reads_files]


def title_of(kind: str) -> str:
    """Return the title of a kind; its slug if it is unknown."""
    return _KINDS[kind].title if kind in _KINDS else kind
