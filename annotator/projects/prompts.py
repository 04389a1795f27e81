"""Prompt groups: by the number of people in a prompt, or any other property."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Count, Max, Min, QuerySet

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import LONGEST_GROUP
from annotator.models import Event, Image, Project, User
from annotator.models.images import IS_STUDIED
from annotator.models.prompts import of_prompt

USUAL: Final = ("individual", "pair", "group")
"""The groups of the published study, in its order."""


class GroupsRefused(ValueError):
    """An invalid group name; `prompt` is the prompt it was entered for."""

    def __init__(self, message: str, prompt: str) -> None:
        super().__init__(message)
        self.prompt = prompt


def prompts_of(project: Project) -> QuerySet[Image, Any]:
    """Return the project's prompts by name, each with `images`, `first_group` and `last_group`."""
    counted = project.images.filter(IS_STUDIED).order_by().values("prompt")
    return counted.annotate(
        images=Count("pk"), first_group=Min("prompt_group"), last_group=Max("prompt_group")
    ).order_by("prompt")


def prompts_without_group(project: Project) -> int:
    """Count the prompts some of whose images have no group."""
    ungrouped = project.images.filter(IS_STUDIED, prompt_group="")
    return ungrouped.order_by().values("prompt").distinct().count()


def set_groups(*, project: Project, groups: Mapping[str, str], actor: User | None) -> list[str]:
    """Set the group of all images of each prompt; return the prompts that changed.

    An empty group removes the group. One Event keeps the previous groups. Raises GroupsRefused for an invalid
    name, without changes.
    """
    wanted = {prompt: _checked(prompt, group) for prompt, group in groups.items()}
    with write_transaction():
        # Serialised, so that the previous groups in the Event are correct.
        Project.locked(project.pk)
        replaced = _replaced(project, wanted)
        for prompt in replaced:
            project.images.filter(of_prompt(prompt)).update(prompt_group=wanted[prompt])
        if replaced:
            data = {"groups": {prompt: wanted[prompt] for prompt in replaced}, "replaced": replaced}
            Event.objects.create(project=project, actor=actor, verb="prompt_groups_set", data=data)
    return list(replaced)


def _replaced(project: Project, wanted: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the current groups of each prompt that changes, in one query."""
    there = project.images.filter(prompt__in=wanted).order_by("prompt", "prompt_group")
    groups_of: dict[str, list[str]] = {}
    for prompt, group in there.values_list("prompt", "prompt_group").distinct():
        groups_of.setdefault(prompt, []).append(group)
    return {prompt: groups for prompt, groups in groups_of.items() if groups != [wanted[prompt]]}


def _checked(prompt: str, group: str) -> str:
    name = " ".join(group.split())
    if len(name) > LONGEST_GROUP:
        raise GroupsRefused(f"Use at most {LONGEST_GROUP} characters for the group name.", prompt)
    if any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise GroupsRefused("Remove control characters from the group name.", prompt)
    return name
