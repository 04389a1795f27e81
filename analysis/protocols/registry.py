"""The numbers of each protocol; those without their own have the generic ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from analysis.protocols.anatomy.reports import NUMBERS as ANATOMY
from analysis.protocols.defect.reports import NUMBERS as DEFECT
from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers
from analysis.protocols.presence.reports import NUMBERS as PRESENCE
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
    """Return the numbers of a protocol; each question of a form takes as long as the one of realism."""
    form = get_protocol(slug).form if slug.startswith(PREFIX) else None
    if form is None:
        return OWN.get(slug, GENERIC)
    return replace(GENERIC, computation=_of_form, fast_ms=REALISM.fast_ms * len(form["items"]))


def _of_form(kind: str) -> Compute:
    from analysis.stats.generic.raters import agreement_of_items

    return agreement_of_items if kind == "agreement" else GENERIC.computation(kind)
