"""What needs a lead because of images: questions, disagreements, text of an import that could not be read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db.models import Count, Max, QuerySet
from django.urls import reverse
from django.utils.timesince import timesince

from analysis.home.need_row import PICTURES, Harm, Need, several
from analysis.home.reviewing import open_questions
from analysis.reports.disagreements import disputed, open_disagreements
from analysis.tables.wording import rounded
from annotator.annotations.questions import subject_of
from annotator.annotations.unreadable import unread_annotations
from annotator.models import Annotation, ImageSummary, Project, Question
from scoring.service import get_protocol

_PROJECT: Final = "assignment__batch__project"


def image_needs(projects: Sequence[Project]) -> Iterator[Need]:
    """Yield what needs the leads of these projects; nine queries at most."""
    questions = _grouped(open_questions().filter(project__in=projects), "project")
    problems = _grouped(unread_annotations().filter(**{f"{_PROJECT}__in": projects}), _PROJECT)
    undecided: dict[int, list[ImageSummary]] = defaultdict(list)
    for summary in disputed().filter(project__in=projects):
        undecided[summary.project_id].append(summary)
    apart: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for report, entries in open_disagreements(projects):
        apart[report.project_id] += [{**entry, "protocol": report.protocol} for entry in entries]
    asked = Question.objects.select_related("assignment", "annotator").in_bulk(_last(questions))
    known = Annotation.objects.in_bulk(_last(problems))
    for project in projects:
        if (row := questions.get(project.pk)) and row["last"] in asked:
            yield _question(project, row["count"], asked[row["last"]])
        if count := apart.get(project.pk):
            yield _apart(project, count)
        if rows := undecided.get(project.pk):
            yield _undecided(project, rows)
        if (row := problems.get(project.pk)) and row["last"] in known:
            yield _problem(project, row["count"], known[row["last"]])


def _grouped(rows: QuerySet[Any], by: str) -> dict[int, dict[str, Any]]:
    grouped = rows.order_by().values(by).annotate(count=Count("pk"), last=Max("pk"))
    return {row[by]: row for row in grouped}


def _last(found: Mapping[int, Mapping[str, Any]]) -> list[int]:
    return [row["last"] for row in found.values()]


def _question(project: Project, count: int, last: Question) -> Need:
    age = timesince(last.open_since, depth=1)
    return Need(
        project.pk,
        "questions",
        Harm.PERSON,
        several(count, "open question or flag", "open questions and flags"),
        f"Latest: “{subject_of(last)[:80]}” · {last.annotator.code}, {age} ago",
        "Answer",
        reverse("questions", args=[project.slug]),
        count=count,
        pictures=[last.assignment.image_id],
        state=f"{last.pk} {last.open_since}",
    )


def _undecided(project: Project, rows: Sequence[ImageSummary]) -> Need:
    by_protocol = Counter(row.protocol for row in rows)
    protocol = rows[0].protocol
    titles = [f"{get_protocol(slug).title} ({count})" for slug, count in by_protocol.items()]
    return Need(
        project.pk,
        "undecided",
        Harm.DECISION,
        f"{several(len(rows), 'image')} for an expert",
        f"Annotators differ, or one has flagged the image · {', '.join(titles)}",
        "Decide",
        f"{reverse('disagreements', args=[project.slug])}?protocol={protocol}",
        count=len(rows),
        pictures=[row.image_id for row in rows[:PICTURES]],
        state=",".join(str(row.image_id) for row in rows),
    )


def _problem(project: Project, count: int, last: Annotation) -> Need:
    problems = (last.source or {}).get("problems") or [{}]
    text = str(problems[0].get("text", ""))[:40]
    return Need(
        project.pk,
        "problems",
        Harm.DATA,
        several(count, "import problem"),
        f"Such as “{text}” in row {problems[0].get('row', '–')} of the import",
        "See problems",
        reverse("project_problems", args=[project.slug]),
        count=count,
        state=str(last.pk),
    )


def _values(protocol: str, low: float, high: float) -> str:
    """Return two values of a protocol's headline with its name: `scores 0.25 and 1.00`."""
    headline = get_protocol(protocol).headline
    if headline.values:
        return f"{headline.title.lower()} {low:g} and {high:g}"
    return f"scores {rounded(low, 2)} and {rounded(high, 2)}"


def _apart(project: Project, entries: Sequence[Mapping[str, Any]]) -> Need:
    protocol = entries[0]["protocol"]
    scores = sorted(float(value) for value in entries[0]["scores"])
    return Need(
        project.pk,
        "disagreements",
        Harm.DECISION,
        f"{several(len(entries), 'disagreement')} to adjudicate",
        f"Largest: {_values(protocol, scores[0], scores[-1])} for one image",
        "Adjudicate",
        f"{reverse('disagreements', args=[project.slug])}?protocol={protocol}",
        count=len(entries),
        pictures=[entry["image"] for entry in entries[:PICTURES]],
        state=",".join(str(image) for image in sorted(entry["image"] for entry in entries)),
    )
