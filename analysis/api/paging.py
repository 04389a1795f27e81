"""Paged lists: at most 500 items per page, continuing where the previous page ended.

Each page is read from an index at its first row, so all pages cost the same and new rows shift nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from django.db.models import Model, Q, QuerySet
from pydantic import BaseModel, ConfigDict, Field

from analysis.api.refusals import Invalid

MOST: Final = 500
USUAL: Final = 100
LARGEST: Final = 2**63 - 1
PLAIN: Final = r"^[^\x00]*$"
"""PostgreSQL cannot store NUL and refuses to search for it."""
_CURSOR: Final = re.compile(r"[0-9]{1,19}(-[0-9]{1,19})*")

Row = TypeVar("Row", bound=Model)
Shape = TypeVar("Shape", bound=BaseModel)


class Parameters(BaseModel):
    """Query parameters; an unknown name is refused because it may be a typo."""

    model_config = ConfigDict(extra="forbid")


class Paging(Parameters):
    """The page of a list."""

    limit: int = Field(USUAL, ge=1, le=MOST, description="Items per page.")
    after: str | None = Field(
        None, max_length=40, description="The `next` of the previous page; omit for the first page."
    )


def filled(shape: type[Shape], row: object, **facts: Any) -> Shape:
    """Return a schema with these facts; its other required fields are the row's attributes of their names."""
    needed = (name for name, field in shape.model_fields.items() if field.is_required() and name not in facts)
    return shape(**{name: getattr(row, name) for name in needed}, **facts)


def page_of(
    shape: type[Shape],
    rows: QuerySet[Row],
    asked: Paging,
    item: Callable[[Row], object],
    order: Sequence[str] = ("pk",),
) -> Shape:
    """Return a page of items of rows ordered by whole numbers; its cursor is None at the end.

    `order` names fields, all ascending or all descending (`-pk`), unique together. Raise Invalid for a
    foreign cursor.
    """
    names = [name.removeprefix("-") for name in order]
    if asked.after is not None:
        rows = rows.filter(
            _beyond(names, _numbers(asked.after, len(names)), "lt" if order[0][0] == "-" else "gt")
        )
    found = list(rows.order_by(*order)[: asked.limit + 1])
    shown = found[: asked.limit]
    more = len(found) > asked.limit
    following = "-".join(str(getattr(shown[-1], name)) for name in names) if more else None
    return shape(items=[item(row) for row in shown], next=following)


def _beyond(names: Sequence[str], numbers: Sequence[int], than: str) -> Q:
    """Return the filter for the rows after a position in the order."""
    found = Q()
    same = Q()
    for name, number in zip(names, numbers, strict=True):
        found |= same & Q(**{f"{name}__{than}": number})
        same &= Q(**{name: number})
    return found


def _numbers(cursor: str, count: int) -> list[int]:
    numbers = [int(part) for part in cursor.split("-")] if _CURSOR.fullmatch(cursor) else []
    if len(numbers) != count or max(numbers) > LARGEST:
        raise Invalid({"after": ["Pass the `next` of a page of this list."]})
    return numbers
