"""Expensive rows, created once per run and copied into the database of each test that needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.apps import apps
from django.db.models import ForeignKey, Model

from annotator.models import (
    Annotation,
    Assignment,
    Batch,
    Event,
    Image,
    ImageSummary,
    Membership,
    Project,
    User,
    WorkerSeen,
)

# Whoever is referred to comes first.
KINDS: Final[Sequence[type[Model]]] = (
    User,
    Project,
    Membership,
    Batch,
    Image,
    Assignment,
    Annotation,
    ImageSummary,
    Event,
)


class KeptRows:
    """All rows of the application; `put` writes them again under new keys."""

    def __init__(self) -> None:
        self._rows = {kind: list(_values(kind)) for kind in KINDS}
        ours = (*apps.get_app_config("annotator").get_models(), *apps.get_app_config("analysis").get_models())
        # When a worker was last seen belongs to no test.
        passed_over = (*KINDS, WorkerSeen)
        others = [kind for kind in ours if kind not in passed_over and kind._default_manager.exists()]
        assert not others, f"rows that would be forgotten: {others}"

    def put(self) -> Project:
        """Write the rows; return their one project."""
        keys: dict[type[Model], dict[Any, Any]] = {}
        for kind, rows in self._rows.items():
            made: list[Any] = kind._default_manager.bulk_create([_renewed(kind, row, keys) for row in rows])
            keys[kind] = {row["pk"]: one.pk for row, one in zip(rows, made, strict=True)}
        (pk,) = keys[Project].values()
        return Project.objects.get(pk=pk)


def _values(kind: type[Model]) -> Any:
    for one in kind._default_manager.order_by("pk"):
        named = {field.attname: getattr(one, field.attname) for field in kind._meta.concrete_fields}
        yield {**named, "pk": one.pk}


def _renewed(kind: type[Model], row: dict[str, Any], keys: dict[type[Model], dict[Any, Any]]) -> Model:
    named = dict(row, pk=None)
    for field in kind._meta.concrete_fields:
        if field.primary_key:
            named.pop(field.attname)
        elif isinstance(field, ForeignKey) and row[field.attname] is not None:
            named[field.attname] = keys[field.related_model][row[field.attname]]
    return kind(**named)
