"""The numbers of each protocol; those without their own have the generic ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.protocols.anatomy.reports import NUMBERS as ANATOMY
from analysis.protocols.defect.reports import NUMBERS as DEFECT
from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Numbers
from analysis.protocols.presence.reports import NUMBERS as PRESENCE
from analysis.protocols.rating_form.reports import numbers_of_form
from analysis.protocols.realism.reports import NUMBERS as REALISM
from scoring.protocol import PREFIX
from scoring.service import get_protocol

OWN: Final[Mapping[str, Numbers]] = {
    "anatomy": ANATOMY,
    "presence": PRESENCE,
    "realism": REALISM,
    **DEFECT,
}


def numbers_of(slug: str) -> Numbers:
    """Return the numbers of a protocol."""
    return numbers_of_form(get_protocol(slug)) if slug.startswith(PREFIX) else OWN.get(slug, GENERIC)
