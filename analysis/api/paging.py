"""Lists in pages: at most 500 of something at a time, from where the last page ended.

A page is read off an index from its first row on, so the last one costs what the first one does, and rows
that come meanwhile shift nothing.
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
"""PostgreSQL stores no NUL, and refuses to look for one."""
_CURSOR: Final = re.compile(r"[0-9]{1,19}(-[0-9]{1,19})*")

Row = TypeVar("Row", bound=Model)


class Parameters(BaseModel):
    """What stands behind the question mark; a name nobody knows is refused, for it may be a typing error."""

    model_config = ConfigDict(extra="forbid")


class Paging(Parameters):
    """Which page of a list."""

    limit: int = Field(USUAL, ge=1, le=MOST, description="How many at most.")
    after: str | None = Field(
        None, max_length=40, description="The `next` of the page before; without it the first page."
    )


def page_of(
    rows: QuerySet[Row], asked: Paging, order: Sequence[str] = ("pk",)
) -> tuple[list[Row], str | None]:
    """Return a page of rows in an order of whole numbers, and the cursor of the next one, None at the end.

    `order` names fields, all rising or all falling (`-pk`); together they are unique. Raises Invalid for a
    cursor that is not ours.
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
    """Return what stands behind a place in the order."""
    found = Q()
    same = Q()
    for name, number in zip(names, numbers, strict=True):
        found |= same & Q(**{f"{name}__{than}": number})
        same &= Q(**{name: number})
    return found


def _numbers(cursor: str, count: int) -> list[int]:
    numbers = [int(part) for part in cursor.split("-")] if _CURSOR.fullmatch(cursor) else []
    if len(numbers) != count or max(numbers) > LARGEST:
        raise Invalid({"after": ["This is not the `next` of a page of this list."]})
    return numbers
