"""The presence form: 25 ticks with a doubt each, as a browser without script sends them."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotator.models import Annotation, Assignment, Batch
from annotator.protocols.presence.form import PresenceForm
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Payload
from tests.annotator.acting import address, typed
from tests.factories import make_assignment, make_image, make_member, make_project, make_user
from tests.support.signing_in import signed_in

KEYS = [cell.key for cell in CELLS]


def bound(fields: dict[str, Any], stored: Payload | None = None) -> PresenceForm:
    sent = {"version": "0", "request_key": str(uuid.uuid4()), **fields}
    form = PresenceForm(sent, stored=stored or PRESENCE.empty())
    form.full_clean()
    return form


class Sent(dict[str, Any]):
    """Fields as a request has them: several values of one name."""

    def getlist(self, name: str) -> list[str]:
        """Return all values of a name."""
        return list(self.get(name, []))


@given(st.sets(st.sampled_from(KEYS)), st.data())
def test_what_is_ticked_becomes_the_payload(marked: set[str], data: st.DataObject) -> None:
    unsure = data.draw(st.sets(st.sampled_from(sorted(marked)))) if marked else set()
    stored = {**PRESENCE.empty(), "flag": {"reason": "other", "note": "kept"}}
    sent = Sent(version="0", request_key=str(uuid.uuid4()), cells=sorted(marked), unsure=sorted(unsure))
    if not marked:
        sent["no_errors"] = "on"
    form = PresenceForm(sent, stored=stored)
    form.full_clean()
    payload = PRESENCE.clean(form.payload()).payload()
    assert set(payload["cells"]) == marked
    assert set(payload["unsure"]) == unsure
    assert (payload["no_errors"], payload["flag"]) == (not marked, stored["flag"])
    again = PresenceForm(stored=payload)
    boxes = [box for column in again.columns() for box in column.boxes]
    assert [box.cell.key for box in boxes] == KEYS
    assert {box.cell.key for box in boxes if box.marked} == marked
    assert {box.cell.key for box in boxes if box.unsure} == unsure


def test_differences_name_cells_doubts_and_the_note() -> None:
    mine = {**PRESENCE.empty(), "cells": ["missing.limbs"], "unsure": ["missing.limbs"], "note": "look"}
    theirs = {**PRESENCE.empty(), "cells": ["missing.limbs", "extra.face"]}
    rows = bound({}).differences(mine, theirs)
    assert [(row.title, row.mine, row.theirs) for row in rows] == [
        ("Missing · Limbs", "marked, unsure", "marked"),
        ("Extra · Face", "", "marked"),
        ("Note", "look", ""),
    ]
    assert bound({}).differences(mine, mine) == []


@pytest.fixture
def work(db: None) -> list[Assignment]:
    """Two images of ada's."""
    project = make_project("pilot")
    ada = make_member(project, user=make_user("ada"), code="ada")
    batch = Batch.objects.create(project=project, name="Presence", protocol="presence")
    return [make_assignment(ada, batch=batch, image=make_image(project)) for _ in range(2)]


@pytest.fixture
def as_ada(work: list[Assignment]) -> Client:
    return signed_in(work[0].annotator)


def test_doubt_without_a_mark_is_refused_at_its_cell(work: list[Assignment], as_ada: Client) -> None:
    sent = typed("submit", cells=["extra.face"], unsure=["missing.limbs"])
    page = as_ada.post(address(work[0]), sent)
    assert page.status_code == 422
    boxes = [box for column in page.context["form"].columns() for box in column.boxes]
    assert [box.cell.key for box in boxes if box.errors] == ["missing.limbs"]
    assert [box.cell.key for box in boxes if box.marked] == ["extra.face"]
    assert not Annotation.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "__all__"),
        ({"cells": ["missing.limbs"], "no_errors": "on"}, "no_errors"),
        ({"cells": ["missing.wings"]}, "cells"),
        ({"cells": ["missing.limbs", "missing.limbs"]}, "cells"),
    ],
)
def test_what_cannot_be_is_refused_by_field(
    work: list[Assignment], as_ada: Client, fields: dict[str, Any], field: str
) -> None:
    page = as_ada.post(address(work[0]), typed("submit", **fields))
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert not Annotation.objects.exists()


def test_a_submission_is_read_without_a_score(work: list[Assignment], as_ada: Client) -> None:
    as_ada.post(address(work[0]), typed("submit", cells=["extra.face"], unsure=["extra.face"], note="see"))
    page = as_ada.get(reverse("own_answer", args=[work[0].pk]))
    assert page.content.decode().count('class="present') == 1
    assert "see" in page.content.decode()
    after = as_ada.get(f"{address(work[1])}?after={work[0].pk}").content.decode()
    assert "Image 1 submitted." in after
    assert "1/1" not in after
