"""Paged lists: at most 500 items per page, continuing where the previous page ended.

Each page is read from an index at its first row, so all pages cost the same and new rows shift nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeVar

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


class Parameters(BaseModel):
    """Query parameters; an unknown name is refused because it may be a typing error."""

    model_config = ConfigDict(extra="forbid")


class Paging(Parameters):
    """The page of a list."""

    limit: int = Field(USUAL, ge=1, le=MOST, description="Items per page.")
    after: str | None = Field(
        None, max_length=40, description="The `next` of the previous page; omit for the first page."
    )


def page_of(
    rows: QuerySet[Row], asked: Paging, order: Sequence[str] = ("pk",)
) -> tuple[list[Row], str | None]:
    """Return a page of rows ordered by whole numbers, and the cursor of the next page, None at the end.

    `order` names fields, all ascending or all descending (`-pk`), unique together. Raise Invalid for a
    foreign cursor.
    """
    names = [name.removeprefix("-") for name in order]
    if asked.after is not None:
        rows = rows.filter(
            _beyond(names, _numbers(asked.after, len(names)), "lt" if order[0][0] == "-" else "gt")
        )
    found = list(rows.order_by(*order)[: asked.limit + 1])
    if len(found) <= asked.limit:
        return found, None
    shown = found[: asked.limit]
    return shown, "-".join(str(getattr(shown[-1], name)) for name in names)


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
