"""The numbers of the presence protocol: the generic ones with additional agreement tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers


def _computation(kind: str) -> Compute:
    if kind != "agreement":
        return GENERIC.computation(kind)
    from analysis.protocols.presence.agreement import presence_agreement

    return presence_agreement


NUMBERS: Final[Numbers] = replace(GENERIC, computation=_computation)
