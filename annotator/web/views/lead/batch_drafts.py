"""The batch that a lead has previewed but not released: the form's values, kept in the session.

A lead who leaves the preview, to mark faces or to publish the guideline, comes back to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from annotator.models import Project

_KEPT: Final = "batch_draft"
PARAMETER: Final = "draft"


@dataclass(frozen=True)
class BatchDraft:
    """A form's values, and its images without a decision on faces that the preview named, by public id."""

    name: str
    query: str
    faces: tuple[str, ...]
    address: str

    @property
    def values(self) -> QueryDict:
        """The values as the form sends them."""
        return QueryDict(self.query)


def keep_draft(
    request: HttpRequest, project: Project, fields: Sequence[tuple[str, str]], faces: Sequence[str]
) -> None:
    """Keep the values of a previewed batch; they replace those of an earlier one."""
    name = dict(fields)["name"]
    kept = {"project": project.pk, "name": name, "query": urlencode(fields), "faces": list(faces)}
    if request.session.get(_KEPT) != kept:
        request.session[_KEPT] = kept


def previewed_batch(request: HttpRequest, project: Project) -> BatchDraft | None:
    """Return the batch of a project that was previewed last; None without one, and once it is released."""
    kept = request.session.get(_KEPT)
    if kept is None or kept["project"] != project.pk:
        return None
    if project.batches.filter(name=kept["name"]).exists():
        return None
    address = f"{reverse('batch_new', args=[project.slug])}?{PARAMETER}=1"
    return BatchDraft(kept["name"], kept["query"], tuple(kept["faces"]), address)
