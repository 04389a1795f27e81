"""The methods of a project's newest reports, read without their numbers, and the checklist that closes them.

Each item of the checklist, after GRRAS (Kottner et al. 2011), says what is known from the records and ends
with what only the authors know, as a question: “…”.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from analysis.data.counting import PURPOSES, REASONS
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.stored import finished
from analysis.tables.blinding import answered, seen_sentences
from analysis.tables.generic import result_methods
from analysis.tables.methods import PARTS, Result, cited, spelled
from analysis.tables.wording import counted, listed
from annotator.models import Project

GUIDELINES: Final = "Reported after GRRAS (Kottner et al. 2011)"
Conduct = Mapping[str, Any]


def checklist(result: Result) -> str:
    """Return a line for each item; empty for a result that does not know how it was made."""
    if (conduct := result.get("conduct")) is None:
        return ""
    items = (
        f"{title}: {' '.join([*say(conduct, result), f'{question}: …'])}" for title, say, question in _ITEMS
    )
    return "\n".join([f"{GUIDELINES}:", *items])


def _qualification(conduct: Conduct, _: Result) -> Iterator[str]:
    people, standings = conduct["people"], conduct["standings"]
    if not people:
        return
    passed, exempt = standings.get("qualified", 0), standings.get("waived", 0)
    if not passed + exempt:
        yield f"No qualification was required of {counted(people, 'annotator')}."
        return
    yield (
        f"{passed:,} of {counted(people, 'annotator')} had passed a qualification"
        f"{f', {exempt:,} had been exempted by a lead' if exempt else ''}."
    )


def _training(conduct: Conduct, _: Result) -> Iterator[str]:
    trained, normed, versions = conduct["training"], conduct["norming"], conduct["guidelines"]
    if trained["annotations"]:
        yield (
            f"{spelled(trained['annotators'], 'annotator')} trained on "
            f"{counted(trained['annotations'], 'annotation')} with feedback."
        )
    if conduct["sessions"]:
        yield (
            f"{spelled(conduct['sessions'], 'norming session')} {_were(conduct['sessions'])} held, with "
            f"{counted(normed['annotators'], 'annotator')}."
        )
    if versions:
        yield f"The guideline had {'version' if len(versions) == 1 else 'versions'} {listed(versions)}."
    elif conduct["people"]:
        yield "The guideline was that of the protocol, unchanged."


def _exclusions(_: Conduct, result: Result) -> Iterator[str]:
    rows = [row for row in result["answers"]["not_counted"] if row["reason"] not in PURPOSES]
    left_out = sum(row["count"] for row in rows)
    total = result["answers"]["counted"] + left_out
    if not left_out:
        yield f"All {counted(total, 'submitted annotation')} of work counted."
        return
    why = listed([f"{row['count']:,} {REASONS.get(row['reason'], row['reason'])}" for row in rows])
    yield f"{left_out:,} of {counted(total, 'submitted annotation')} of work did not count: {why}."


def _missing(conduct: Conduct, _: Result) -> Iterator[str]:
    planned, withdrawn = conduct["planned"], conduct["withdrawn"]
    parts = [
        f"{conduct[state]:,} {words}"
        for state, words in (("open", "not submitted"), ("skipped", "skipped"))
        if conduct[state]
    ]
    if parts:
        yield f"Of {counted(planned, 'assigned annotation')}: {listed(parts)}."
    elif planned:
        yield f"All {counted(planned, 'assigned annotation')} were submitted."
    if withdrawn:
        yield f"{spelled(withdrawn, 'assignment')} {_were(withdrawn)} withdrawn."
    if imported := conduct["imported"]:
        yield f"What was assigned is not known of {counted(imported, 'imported annotation')}."


def _deviations(conduct: Conduct, _: Result) -> Iterator[str]:
    changes, left, looks = conduct["changes"], conduct["left"], conduct["interim"]
    if changes:
        yield f"The annotators of a batch were changed after its release {_times(changes)}."
    if left:
        yield f"{spelled(left, 'annotator')} left before the end."
    if looks:
        yield f"Results were looked at before all annotations were submitted, {_times(looks)}."
    if not (changes or left or looks) and conduct["people"]:
        yield "The plan was carried out as released."


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


_ITEMS: Final = (
    ("Qualification", _qualification, "Profession and experience of the annotators"),
    ("Training", _training, "Training elsewhere"),
    ("Exclusions", _exclusions, "Images and annotators excluded beforehand, and why"),
    ("Missing data", _missing, "Why annotations are missing"),
    ("Deviations from the plan", _deviations, "Registration, and further deviations from it"),
)
"""Title of an item, what is known of it, and what only the authors know."""


@dataclass(frozen=True)
class WrittenMethods:
    """The paragraph of one report and the sources it cites."""

    kind: str
    title: str
    text: str
    references: list[str]


def methods_text(result: Mapping[str, Any], project: Project) -> str:
    """Return a report's paragraph with what annotators saw, and the checklist of a comparison.

    It is empty for a report that no publication has.
    """
    return _with_project(result, seen_sentences(answered(project)))


def _with_project(result: Mapping[str, Any], seen: str) -> str:
    if not (made := result_methods(result)):
        return ""
    return "\n\n".join(filter(None, [" ".join(filter(None, [made, seen])), checklist(result)]))


def project_methods(project: Project, protocol: str) -> list[WrittenMethods]:
    """Return the paragraphs of the newest finished report of each kind."""
    seen = seen_sentences(answered(project))
    texts = []
    for kind in sorted(KEPT_UP_TO_DATE):
        row = finished(project, kind, protocol).values(*(f"result__{part}" for part in PARTS)).first()
        result = {part: value for part in PARTS if row and (value := row[f"result__{part}"]) is not None}
        if text := _with_project(result, seen) if result else "":
            texts.append(WrittenMethods(kind, Report.Kind(kind).label, text, cited(text)))
    return texts
