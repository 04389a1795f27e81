"""The people of a project, as its lead sees and changes them."""

from __future__ import annotations

from django.test import Client

from annotator.models import Event, Membership
from tests.annotator.web.views.conftest import Study
from tests.factories import make_assignment, make_batch, make_member, make_user
from tests.support.codes import codes, said

PEOPLE = "/projects/pilot/people/"


def page_of(member: Membership, act: str = "") -> str:
    return f"{PEOPLE}{member.pk}/{act}"


def test_everybody_is_listed_with_what_they_owe(study: Study, as_lead: Client) -> None:
    make_assignment(study.ada, status="done")
    imported = make_member(study.project, user=make_user("x.anno1", is_active=False), code="anno 1")
    page = as_lead.get(PEOPLE)
    html = page.content.decode()
    rows = {
        member.code: (count.total, count.submitted, waits) for member, waits, count in page.context["members"]
    }
    assert rows == {"ada": (4, 1, False), "bob": (1, 0, False), "lee": (0, 0, False), "anno 1": (0, 0, True)}
    assert f'href="{page_of(imported)}"' in html
    assert "/projects/pilot/people/invite/?code=anno%201" in html
    assert "x.anno1" not in html
    assert "none-invited" in codes(html)


def test_imported_annotations_are_counted_apart(study: Study, as_lead: Client) -> None:
    batch = make_batch(study.project, prompt_seen="unknown")
    for member, statuses in ((study.ada, ["done", "done", "done"]), (study.bob, ["done"])):
        for status in statuses:
            make_assignment(member, batch=batch, status=status)
    only_imported = make_member(study.project, code="anno 1")
    make_assignment(only_imported, batch=batch, status="done")
    page = as_lead.get(PEOPLE)
    counts = {member.code: count.words for member, _, count in page.context["members"]}
    assert counts == {
        "ada": "0 of 3 submitted, 3 imported",
        "bob": "0 of 1 submitted, 1 imported",
        "lee": "",
        "anno 1": "1 imported",
    }
    details = as_lead.get("/projects/pilot/details/").context["counts"]
    assert details.work.words == "0 of 4 submitted, 5 imported"


def test_a_role_is_changed(study: Study, as_lead: Client) -> None:
    answer = as_lead.post(page_of(study.ada, "role/"), {"role": "reviewer"})
    assert (answer.status_code, answer["Location"]) == (302, page_of(study.ada))
    study.ada.refresh_from_db()
    assert study.ada.role == "reviewer"
    assert said(as_lead.get(page_of(study.ada)), "role") == "ada is now reviewer."
    assert Event.objects.get().actor == study.lead.user


def test_deactivating_says_what_is_left_and_shuts_the_door(
    study: Study, as_lead: Client, as_ada: Client
) -> None:
    assert as_ada.get("/projects/pilot/queue/").status_code == 200
    page = as_lead.get(page_of(study.ada))
    assert "First batch" in page.content.decode()
    assert [(batch.unfinished, batch.begun) for batch in page.context["work"]] == [(3, 0)]
    assert as_lead.post(page_of(study.ada, "deactivate/")).status_code == 302
    assert as_ada.get("/projects/pilot/queue/").status_code == 404
    assert "Reactivate ada" in as_lead.get(page_of(study.ada)).content.decode()
    assert as_lead.post(page_of(study.ada, "reactivate/")).status_code == 302
    assert as_ada.get("/projects/pilot/queue/").status_code == 200
