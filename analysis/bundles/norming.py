"""The norming sessions of a bundle: rows to restore them.

The people who started a session or recorded an agreed value are not included; those who commented are, by
code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import QuerySet

from analysis.bundles.rows import CAUSES, lines_of, moment, places_of
from analysis.bundles.source import BundleSource, in_chunks
from annotator.models import NormedImage, NormingComment, NormingSession

SESSIONS: Final = "restore/norming_sessions.jsonl"
IMAGES: Final = "restore/normed_images.jsonl"
COMMENTS: Final = "restore/norming_comments.jsonl"

SESSION_FIELDS: Final = ("state", "picked", "seed")
SESSION_TIMES: Final = ("made_at", "revealed_at", "closed_at")
NORMED_FIELDS: Final = ("place", "version", "agreed", "gaps")


def sessions_in(source: BundleSource) -> QuerySet[NormingSession]:
    """Return the sessions in stored order; a session follows an earlier one."""
    return NormingSession.objects.filter(batch__in=source.batches.order_by()).order_by("pk")


def images_in(source: BundleSource) -> QuerySet[NormedImage]:
    """Return the images of all sessions in stored order, without those being deleted."""
    held = NormedImage.objects.filter(session__in=sessions_in(source).order_by(), image__goes_at=None)
    return held.order_by("pk")


def comments_in(source: BundleSource) -> QuerySet[NormingComment]:
    """Return the comments in stored order."""
    return NormingComment.objects.filter(normed__in=images_in(source).order_by()).order_by("pk")


def norming_counts(source: BundleSource) -> dict[str, int]:
    """Return the numbers of rows for project.json; empty without any session."""
    if not sessions_in(source).exists():
        return {}
    return {
        "norming_sessions": sessions_in(source).count(),
        "normed_images": images_in(source).count(),
        "norming_comments": comments_in(source).count(),
    }


def session_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the sessions; batches by position in project.json, the first round by line."""
    batches, line_of = places_of(source.batches), lines_of(sessions_in(source))
    fields = ("batch_id", "follows_id", *SESSION_FIELDS, *SESSION_TIMES)
    for batch, follows, *values in in_chunks(sessions_in(source), *fields):
        row = dict(zip((*SESSION_FIELDS, *SESSION_TIMES), values, strict=True))
        row |= {name: moment(row[name]) for name in SESSION_TIMES}
        yield {"batch": batches[batch], "follows": line_of(follows or 0) or None, **row}


def normed_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the images of sessions; sessions and images by line."""
    session_line, image_line = lines_of(sessions_in(source)), lines_of(source.images)
    fields = ("session_id", "image_id", "decided_at", "causes", *NORMED_FIELDS)
    for session, image, decided_at, causes, *values in in_chunks(images_in(source), *fields):
        yield {
            "session": session_line(session),
            "image": image_line(image),
            **dict(zip(NORMED_FIELDS, values, strict=True)),
            # As for adjudications, older versions read rows without causes.
            **({} if causes is None else {CAUSES: causes}),
            "decided_at": moment(decided_at),
        }


def comment_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the comments; images of sessions by line, authors by position in project.json."""
    line_of, people = lines_of(images_in(source)), places_of(source.people)
    fields = ("normed_id", "author_id", "component", "text", "created_at")
    for normed, author, component, text, created_at in in_chunks(comments_in(source), *fields):
        yield {
            "normed": line_of(normed),
            "author": people[author],
            "component": component,
            "text": text,
            "created_at": moment(created_at),
        }
