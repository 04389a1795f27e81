"""The registry of forms: which one asks for a protocol's answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from annotator.protocols.anatomy.form import AnatomyForm
from annotator.protocols.anatomy.settling import AnatomySettlingForm
from annotator.protocols.base import AnswerForm
from annotator.protocols.presence.settling import PresenceSettlingForm
from annotator.protocols.settling import SettlingForm
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE

FORMS: Final[Mapping[str, type[AnswerForm]]] = {ANATOMY.slug: AnatomyForm}
SETTLING: Final[Mapping[str, type[SettlingForm]]] = {
    ANATOMY.slug: AnatomySettlingForm,
    PRESENCE.slug: PresenceSettlingForm,
}


def settling_for(slug: str) -> type[SettlingForm]:
    """Return the form that settles a protocol's disagreements: its own, or whose annotation holds."""
    return SETTLING.get(slug, SettlingForm)


def form_for(slug: str) -> type[AnswerForm]:
    """Return the form of a protocol; raises KeyError for one that has none."""
    return FORMS[slug]
