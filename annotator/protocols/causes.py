"""The causes on the adjudication form: one checkbox for each, beside the cell that they explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.annotations.causes import NO_CAUSE, CauseChoice, proposals_for
from annotator.protocols.adjudication_form import AdjudicationForm, CellToAdjudicate
from scoring.causes import CAUSES, WORDS, Cause, Proposal
from scoring.protocol import Protocol


class CausesForm:
    """The causes of a form's differing cells.

    `data` is the submitted form, None at first; `stored` are the stored causes, if any. The fields are
    `causes.<component>.<cause>`, `causes.<component>.note` and `causes.<component>.by_hand`.
    """

    def __init__(
        self,
        protocol: Protocol,
        form: AdjudicationForm,
        *,
        stored: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        self._form, self._stored, self._data = form, stored or {}, data
        self.offered: tuple[Cause, ...] = protocol.causes.offered if protocol.causes else ()
        self._proposals = proposals_for(protocol, form.payloads)

    def choices(self) -> dict[str, CauseChoice]:
        """Return what was chosen by component; a cell without any cause gets an error in the form."""
        chosen = {}
        for key, proposal in self._proposals.items():
            name, ticked = _name(key), self._ticked(key)
            emptied = not ticked and self._value_text(f"{name}.by_hand")
            if emptied or not (ticked or proposal.if_marked or proposal.if_empty):
                self._form.add(key, NO_CAUSE)
            chosen[key] = CauseChoice(ticked, self._value_text(f"{name}.note"))
        return chosen

    def cells(self) -> list[tuple[CellToAdjudicate, dict[str, Any] | None]]:
        """Return the differing cells, each with its causes for display; None if the protocol has none.

        `if_marked` and `if_empty` are the slugs proposed for the two kinds of value, separated by spaces.
        With `by_hand`, the adjudicator has changed the proposal; otherwise nothing is ticked, and what is
        proposed for the value applies. The `key` of a cause is its digit, the same under every protocol.
        """
        return [(cell, self._of(cell.key)) for cell in self._form.differing()]

    def _of(self, key: str) -> dict[str, Any] | None:
        proposal = self._proposals.get(key)
        if proposal is None:
            return None
        name, (ticked, note, by_hand) = _name(key), self._shown(key, proposal)
        boxes = [
            {
                "slug": slug,
                "words": WORDS[slug],
                "key": CAUSES.index(slug) + 1,
                "name": f"{name}.{slug}",
                "ticked": slug in ticked,
            }
            for slug in self.offered
        ]
        return {
            "name": name,
            "boxes": boxes,
            "note": note,
            "by_hand": by_hand,
            "if_marked": " ".join(proposal.if_marked),
            "if_empty": " ".join(proposal.if_empty),
            "proposed": self._in_words(proposal),
        }

    def _shown(self, key: str, proposal: Proposal) -> tuple[Sequence[str], str, bool]:
        """Return the ticked causes, the note, and whether the proposal was changed."""
        if self._data is not None:
            name, ticked = _name(key), self._ticked(key)
            by_hand = bool(self._value_text(f"{name}.by_hand"))
            if not by_hand:
                # The script ticks what it proposes; without it, so does leaving all boxes empty.
                by_hand = bool(ticked) and ticked not in (proposal.if_marked, proposal.if_empty)
            return ticked if by_hand else (), self._value_text(f"{name}.note"), by_hand
        stored = self._stored.get(key)
        if stored is None:
            return (), "", False
        by_hand = stored["causes"] != stored["proposed"]
        return stored["causes"] if by_hand else (), stored.get("note", ""), by_hand

    def _ticked(self, key: str) -> tuple[str, ...]:
        return tuple(slug for slug in self.offered if self._value_text(f"{_name(key)}.{slug}"))

    def _value_text(self, name: str) -> str:
        return str((self._data or {}).get(name, ""))

    def _in_words(self, proposal: Proposal) -> str:
        marked, empty = (
            ", ".join(WORDS[slug].title for slug in side) for side in (proposal.if_marked, proposal.if_empty)
        )
        if marked == empty or not empty:
            return marked
        return f"{marked or 'none'}; {empty} if you choose “{self._form.nothing or 'nothing'}”"


def _name(component: str) -> str:
    return f"causes.{component}"
