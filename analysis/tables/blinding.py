"""Sentences on whether annotators saw prompt, generator and faces, for papers and bundles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from analysis.tables.suggestions import EFFECT_UNKNOWN
from annotator.models import Annotation, Batch, Project
from annotator.models.counting import is_work
from annotator.protocols.page import ALL_OF_THEM, SUGGESTIONS

_HERE: Final = "annotators who worked in Anatomark"
_ELSEWHERE: Final = "annotators of the imported annotations"
_THINGS: Final = ("prompt", "generator")
_LISTED: Final = 5
_WORDS: Final = {
    Batch.Seen.SHOWN: "saw the {}",
    Batch.Seen.HIDDEN: "did not see the {}",
    Batch.Seen.VARIED: "saw the {} for part of the time",
    Batch.Seen.UNKNOWN: "may or may not have seen the {}: this is not known",
}
_BOTH: Final = {
    Batch.Seen.SHOWN: "saw both the prompt and the generator",
    Batch.Seen.HIDDEN: "saw neither the prompt nor the generator",
    Batch.Seen.VARIED: "saw the prompt and the generator for part of the time",
}

_HAS_ANSWERS: Final = Exists(
    Annotation.objects.filter(
        is_work("assignment__"), assignment__batch=OuterRef("pk"), status=Annotation.Status.SUBMITTED
    )
)

Seen = tuple[Batch.Seen, Batch.Seen, bool]
"""(prompt, generator, whether faces were blurred)."""


def answered(project: Project) -> QuerySet[Batch]:
    """Return the batches of a project with submitted annotations."""
    return project.batches.filter(_HAS_ANSWERS).order_by("pk")


def seen_sentences(batches: Iterable[Batch]) -> str:
    """Return what the annotators of these batches saw, imported batches apart; empty without batches."""
    listed = list(batches)
    groups = (
        (_HERE, [batch for batch in listed if not batch.is_imported]),
        (_ELSEWHERE, [batch for batch in listed if batch.is_imported]),
    )
    sentences = [sentence for who, some in groups for sentence in _of_group(who, some)]
    return " ".join([*sentences, *_suggestions(listed)])


def _suggestions(batches: Iterable[Batch]) -> Iterator[str]:
    """Yield who saw suggestions, for each run and share."""
    by_run: dict[tuple[str, str, int], list[str]] = {}
    for batch in batches:
        if batch.suggestions is not None:
            share = batch.settings.get(SUGGESTIONS.name, ALL_OF_THEM)
            what = batch.suggestions.get_kind_display().lower()
            by_run.setdefault((what, str(batch.suggestions), share), []).append(batch.name)
    for (what, run, share), names in by_run.items():
        is_drawn = share < ALL_OF_THEM
        where = f"{share}%" if is_drawn else "all"
        drawn = ", drawn within annotator and generator" if is_drawn else ""
        unknown = "" if is_drawn else f" {EFFECT_UNKNOWN}"
        yield (
            f"In {_named(names)}, annotators saw {what} suggested by {run} in {where} of the assignments "
            f"for whose image there was one{drawn}.{unknown}"
        )


def _of_group(who: str, batches: Sequence[Batch]) -> list[str]:
    by_seen: dict[Seen, list[str]] = {}
    for batch in batches:
        by_seen.setdefault((batch.prompt_was, batch.generator_was, batch.is_blurred), []).append(batch.name)
    if len(by_seen) == 1:
        return [_sentence(who, *by_seen)]
    return [_sentence(f"{who} ({_named(names)})", seen) for seen, names in by_seen.items()]


def _sentence(who: str, seen: Seen) -> str:
    *told, blurred = seen
    faces = "; faces were blurred" if blurred else ""
    if told == [Batch.Seen.UNKNOWN, Batch.Seen.UNKNOWN]:
        return f"Whether the {who} saw the prompt or the generator is not known{faces}."
    both = _BOTH.get(told[0]) if told[0] == told[1] else None
    clauses = [_WORDS[state].format(thing) for state, thing in zip(told, _THINGS, strict=True)]
    return f"The {who} {both or ' and '.join(clauses)}{faces}."


def _named(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    shown = ", ".join(f"“{name}”" for name in names[:_LISTED])
    return f"{'batch' if len(names) == 1 else 'batches'} {shown}{f' and {more} more' if more > 0 else ''}"
