"""A project of the version of migration 0014, with every state of an assignment."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from benchmarks.migrations.database import Database

EARLIER: Final = "0014"
PEOPLE, BATCHES = 20, 10
MOMENT: Final = "2026-03-01 09:30:00.123456+00:00"


def fill(database: Database, count: int) -> None:
    """Store `count` annotations in ten batches as the version of EARLIER had them.

    Of five assignments two are of the same image. Every state occurs, and texts hold what is hard to keep.
    """
    database.store("annotator_user", [_user(pk) for pk in range(1, PEOPLE + 1)])
    database.store("annotator_project", [_project()])
    database.store("annotator_membership", [_member(pk) for pk in range(1, PEOPLE + 1)])
    database.store("annotator_batch", [_batch(pk) for pk in range(1, BATCHES + 1)])
    images = count * 4 // 5
    database.store("annotator_image", (_image(pk) for pk in range(1, images + 1)))
    database.store("annotator_assignment", (_assignment(place) for place in range(count)))
    database.store("annotator_annotation", (_annotation(place) for place in range(count)))
    database.store("annotator_adjudication", (_adjudication(pk) for pk in range(1, images + 1, 40)))
    database.store("annotator_event", (_event(place) for place in range(0, count, 10)))


def _user(pk: int) -> dict[str, Any]:
    return {
        "id": pk,
        "password": "!",
        "is_superuser": False,
        "username": f"person-{pk}",
        "first_name": "Zoë",
        "last_name": "",
        "email": "",
        "is_staff": False,
        "is_active": True,
        "date_joined": MOMENT,
        "preferences": "{}",
        "session_salt": "",
    }


def _project() -> dict[str, Any]:
    return {
        "id": 1,
        "slug": "pilot",
        "name": "Pilot",
        "weights": '{"a": "0.2", "b": "1/3", "c": "1"}',
        "created_at": MOMENT,
        "retention": "{}",
    }


def _member(pk: int) -> dict[str, Any]:
    return {
        "id": pk,
        "role": "annotator" if pk > 1 else "lead",
        "code": f"A{pk}",
        "is_active": pk % 7 != 0,
        "created_at": MOMENT,
        "user_id": pk,
        "project_id": 1,
    }


def _batch(pk: int) -> dict[str, Any]:
    return {
        "id": pk,
        "name": f"batch {pk}",
        "protocol": "anatomy",
        "overlap": "0.2500",
        "coders": 2,
        "seed": None if pk == 1 else pk * 10**15,
        "show_prompt": pk % 2 == 0,
        "created_at": MOMENT,
        "project_id": 1,
        "guided": pk % 3 == 0,
        "score_shown": ("never", "choice")[pk % 2],
        "show_generator": False,
        "status": ("open", "closed")[pk % 2],
        "prompt_seen": ("as_set", "unknown", "varied")[pk % 3],
        "generator_seen": "as_set",
    }


def _image(pk: int) -> dict[str, Any]:
    name = hashlib.sha256(str(pk).encode()).hexdigest()
    return {
        "id": pk,
        "public_id": name[:32],
        "file": f"originals/1/{name}.png",
        "sha256": name,
        "source_name": f"“{pk}”, ünd,\n{pk}.png",
        "format": "PNG",
        "width": 1024,
        "height": 768,
        "generator": f"generator-{pk % 6}",
        "prompt": f"prompt {pk % 40}",
        "prompt_group": "",
        "number": pk,
        "attributes": json.dumps({"steps": str(pk)}),
        "display": "",
        "display_state": "pending",
        "display_error": "",
        "created_at": MOMENT,
        "project_id": 1,
    }


def _state(place: int) -> str:
    return (
        "withdrawn"
        if place % 19 == 0
        else "skipped"
        if place % 17 == 0
        else "open"
        if place % 7 == 0
        else "done"
    )


def _shared_image(place: int) -> tuple[int, int, int]:
    """Return batch, image and annotator of an assignment; of five in a batch, the last two share an image."""
    batch, within = place % BATCHES, place // BATCHES
    group, among = divmod(within, 5)
    image = (group * 4 + min(among, 3)) * BATCHES + batch
    return batch + 1, image + 1, (group + among) % PEOPLE + 1


def _assignment(place: int) -> dict[str, Any]:
    batch, image, annotator = _shared_image(place)
    state = _state(place)
    return {
        "id": place + 1,
        "position": None if state == "withdrawn" else place // BATCHES + 1,
        "status": state,
        "created_at": MOMENT,
        "batch_id": batch,
        "image_id": image,
        "annotator_id": annotator,
    }


def _annotation(place: int) -> dict[str, Any]:
    submitted = _state(place) == "done"
    cells = ("missing.limbs", "extra.hands", "proportion.face")[: place % 4]
    marks = [
        {
            "type": cell.split(".")[0],
            "part": cell.split(".")[1],
            "severity": "abc"[place % 3],
            "affected": 1,
            "total": place % 9 + 1,
            "own_total": True,
            "pins": [{"x": 0.1 + 0.2, "y": 1 / 3}],
        }
        for cell in cells
    ]
    payload = {"marks": marks, "no_errors": not marks, "flag": None, "note": f"“{place}” 🙂\u2028"}
    return {
        "id": place + 1,
        "payload": json.dumps(payload, ensure_ascii=place % 2 == 0),
        "status": "submitted" if submitted else "draft",
        "version": place % 5 + 1,
        "warnings": "[]",
        "ratings": '[["cumulative_score", "", "67/60"]]' if submitted else None,
        "source": '{"cells": {"1.2 Limbs": "1/4 C"}}' if place % 3 == 0 else None,
        "capture": json.dumps({"active_ms": place + 0.5}),
        "created_at": MOMENT,
        "saved_at": MOMENT,
        "submitted_at": MOMENT if submitted else None,
        "assignment_id": place + 1,
        "active_ms": place,
        "flagged": place % 11 == 0,
        "has_unread_terms": place % 13 == 0,
    }


def _adjudication(image: int) -> dict[str, Any]:
    return {
        "id": image,
        "protocol": "anatomy",
        "payload": '{"marks": [], "no_errors": true}',
        "ratings": '[["cumulative_score", "", "0"]]',
        "status": ("settled", "withdrawn")[image % 2],
        "version": image % 3 + 1,
        "settled_from": "[[1, 1], [2, 3]]",
        "note": "Looked at again – “twice”.",
        "decided_at": MOMENT,
        "decided_by_id": 1,
        "image_id": image,
    }


def _event(place: int) -> dict[str, Any]:
    return {
        "id": place + 1,
        "verb": "submitted",
        "data": json.dumps({"replaced": {"version": place}}),
        "request_key": f"{place:032x}",
        "created_at": MOMENT,
        "actor_id": place % PEOPLE + 1,
        "assignment_id": place + 1,
        "project_id": 1,
    }


def shared_of(count: int) -> int:
    """Return the number of assignments whose image another annotator has in the same batch."""
    holders: dict[tuple[int, int], int] = {}
    for place in range(count):
        if _state(place) != "withdrawn":
            key = _shared_image(place)[:2]
            holders[key] = holders.get(key, 0) + 1
    return sum(held for held in holders.values() if held > 1)
