"""Tags of a project: what annotators can tick of an image that the protocol has no place for.

A tag has a number that is never given again. Annotations hold numbers, so a renamed tag keeps its ticks, and
those of a removed one are no longer shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, same_form, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.inputs.storable import is_storable
from annotator.models import Annotation, Event, Project, User
from scoring.payloads import LAST_TAG

MOST: Final = 2
LONGEST: Final = 40
TAGS_SET: Final = "tags_set"


class TagsRefused(Refusal, ValueError):
    """The names cannot be stored; nothing changed."""


def tags_of(project: Project) -> dict[int, str]:
    """Return the names of a project's tags by number."""
    return {number: name for number, name in enumerate(project.tags, 1) if name}


def set_tags(
    *, project: Project, names: Mapping[int, str], new: Sequence[str], actor: User, confirmed: bool = False
) -> bool:
    """Rename tags, remove those whose name is empty, and add `new` ones; return whether anything changed.

    Stores an Event with the replaced names. Raises TagsRefused, with the number of ticks unless the
    removal of tags that have some is `confirmed`.
    """
    with write_transaction():
        stored = Project.locked(project.pk)
        before = tags_of(stored)
        kept = {number: " ".join(names.get(number, name).split()) for number, name in before.items()}
        added = list(filter(None, (" ".join(name.split()) for name in new)))
        after = [*(kept.get(number, "") for number in range(1, len(stored.tags) + 1)), *added]
        _check(after)
        if after == stored.tags:
            return False
        removed = {number: name for number, name in before.items() if not kept[number]}
        if removed and not confirmed:
            _check_ticks(stored, removed)
        Project.objects.filter(pk=stored.pk).update(tags=after)
        data = {"replaced": list(before.values()), "tags": list(filter(None, after))}
        Event.objects.create(project=stored, actor=actor, verb=TAGS_SET, data=data)
    project.tags = after
    return True


def ticks_of(project: Project) -> Counter[int]:
    """Return how many annotations, drafts among them, have each tag ticked, by number."""
    ticked = Annotation.objects.filter(assignment__batch__project=project, payload__has_key="tags")
    return Counter(number for tags in ticked.values_list("payload__tags", flat=True) for number in tags)


def _check(after: Sequence[str]) -> None:
    names = list(filter(None, after))
    if len(names) > MOST:
        raise TagsRefused(f"A project has at most {MOST} tags. Remove one first.", "too-many")
    if len(after) > LAST_TAG:
        raise TagsRefused(f"A project can define {LAST_TAG} tags in its life. Rename one instead.", "used-up")
    for name in names:
        if len(name) > LONGEST:
            raise TagsRefused(f"“{name[:LONGEST]}…” is too long: at most {LONGEST} characters.", "too-long")
        if turns_text_round(name):
            raise TagsRefused(TURNED, "turned")
        if not is_storable(name):
            raise TagsRefused("A name contains a character that cannot be stored.", "unstorable")
    if len(set(map(same_form, names))) < len(names):
        raise TagsRefused("Two tags have the same name.", "twice")


def _check_ticks(project: Project, removed: Mapping[int, str]) -> None:
    ticks = ticks_of(project)
    lost = [
        f"“{name}” is ticked in {ticks[number]:,} annotation{'' if ticks[number] == 1 else 's'}"
        for number, name in removed.items()
        if ticks[number]
    ]
    if lost:
        raise TagsRefused(
            f"{'; '.join(lost)}. Removing a tag removes its ticks, too: confirm that below.", "ticks"
        )
