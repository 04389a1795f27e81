"""The registry of forms: which one asks for a protocol's answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from annotator.protocols.anatomy.form import AnatomyForm
from annotator.protocols.base import AnswerForm
from scoring.anatomy.protocol import ANATOMY

FORMS: Final[Mapping[str, type[AnswerForm]]] = {ANATOMY.slug: AnatomyForm}


def form_for(slug: str) -> type[AnswerForm]:
    """Return the form of a protocol; raises KeyError for one that has none."""
    return FORMS[slug]
