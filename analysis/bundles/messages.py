"""Questions and replies of a bundle as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import Prefetch

from analysis.bundles.rows import moment, safe_line
from analysis.bundles.source import CHUNK, BundleSource
from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from annotator.models import Question, Reply
from scoring.payloads import FLAG_REASONS

MESSAGE_COLUMNS: Final = (
    ExportColumn("question", Kind.INTEGER),
    ExportColumn("message", Kind.INTEGER),
    *columns(Kind.TEXT, "kind", "state", "batch", "sha256", "reason", "by", "written_by", "written_at"),
    *columns(Kind.TEXT, "text", "Annotator"),
)
MESSAGES: Final = (
    of(
        "question",
        "number of the question or flag in this bundle",
        "whole number from 1",
        least=1,
    ),
    of(
        "message",
        "place of the message in its thread: 1 is the question, then the replies",
        "whole number from 1",
        least=1,
    ),
    of(
        "kind",
        "what opened the thread",
        "`question`, `flag`",
        only=("question", "flag"),
    ),
    of(
        "state",
        "state of the question",
        "`open`, `answered`, `resolved`",
        only=("open", "answered", "resolved"),
    ),
    of("sha256", "image, by the SHA-256 of its file", "64 hexadecimal digits"),
    of(
        "reason",
        "reason of a flag",
        f"{', '.join(f'`{reason}`' for reason in FLAG_REASONS)}; empty otherwise",
        only=tuple(FLAG_REASONS),
    ),
    of("by", "in which role it was written", "`annotator`, `lead`", only=("annotator", "lead")),
    of("written_by", "the code of its author, or a [pseudonym](#pseudonyms)", "text"),
    of("written_at", "when it was written", "`2026-03-01T09:30:00.000000Z`, always UTC", moment=True),
    of("text", "the message", "text; empty for a flag without a note"),
    ColumnDescription(
        ("Annotator",),
        "the code of the annotator who asked, or a [pseudonym](#pseudonyms)",
        "text",
    ),
)


def message_lines(source: BundleSource) -> Iterator[Line]:
    """Yield every message: thread by thread in the order of the questions."""
    for number, question in enumerate(_threads(source), 1):
        assignment, who = question.assignment, source.name(question.annotator.code)
        thread = [question.kind, question.state, assignment.batch.name, assignment.image.sha256]
        head = [*thread, question.reason]
        yield safe_line([number, 1, *head, "annotator", who, moment(question.asked_at), question.text, who])
        for place, reply in enumerate(question.replies.all(), 2):
            by, author = "lead" if reply.by_lead else "annotator", source.name(reply.author.code)
            yield safe_line([number, place, *head, by, author, moment(reply.created_at), reply.text, who])


def _threads(source: BundleSource) -> Iterator[Question]:
    """Yield the questions with their replies, with one chunk in memory at a time."""
    numbers = list(source.questions.values_list("pk", flat=True))
    replies = Prefetch("replies", Reply.objects.select_related("author").order_by("pk"))
    related = ("annotator", "assignment__batch", "assignment__image")
    for start in range(0, len(numbers), CHUNK):
        chunk = Question.objects.filter(pk__in=numbers[start : start + CHUNK]).order_by("pk")
        yield from chunk.select_related(*related).prefetch_related(replies)
