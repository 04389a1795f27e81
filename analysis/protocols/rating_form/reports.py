"""The numbers of rating forms: the generic ones, and the raters of scales."""

from __future__ import annotations

from dataclasses import replace

from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers
from analysis.protocols.realism.reports import NUMBERS as REALISM
from scoring.protocol import Protocol


def _computation(kind: str) -> Compute:
    if kind != "agreement":
        return GENERIC.computation(kind)
    from analysis.stats.generic.raters import agreement_of_items

    return agreement_of_items


def numbers_of_form(protocol: Protocol) -> Numbers:
    """Return the numbers of a form, whose questions each take as long as one of realism."""
    items = protocol.form["items"] if protocol.form else ()
    return replace(GENERIC, computation=_computation, fast_ms=REALISM.fast_ms * len(items))
