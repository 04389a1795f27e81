"""The queue of an annotator, and the settings of the annotation page."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.test import Client

from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.skipping import skip_assignment
from annotator.batches.closing import close_batch
from annotator.models import Annotation, Assignment, Membership, Reference, User
from annotator.people.memberships import with_waiting
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from tests.annotator.acting import address, submit
from tests.annotator.web.views.conftest import Study, typed
from tests.annotator.web.views.speaking import checked, facts
from tests.factories import make_assignment, make_batch, make_member, make_payload, make_stored_image
from tests.support.codes import codes, numbers

QUEUE = "/projects/pilot/queue/"


def listed(page: Any, name: str) -> list[Assignment]:
    """The rows of one section, none where it is not shown."""
    return [row for section in page.context["sections"] if section.name == name for row in section.rows]


def test_the_queue_goes_on_at_the_first_open_image(study: Study, as_ada: Client) -> None:
    first, second, third = study.assignments
    as_ada.post(address(first), typed("submit", no_errors="on"))
    as_ada.post(address(third), typed("draft", missing_limbs="1/4c"))
    page = as_ada.get(QUEUE)
    assert f'href="{address(second)}">Continue</a>' in page.content.decode()
    assert [row.pk for row in listed(page, "drafts")] == [third.pk]
    assert [row.place for row in listed(page, "drafts")] == [3]  # type: ignore[attr-defined]
    assert [row.pk for row in listed(page, "page")] == [first.pk]


def test_a_finished_queue_says_so_and_can_be_undone(study: Study, as_ada: Client) -> None:
    for assignment in study.assignments:
        as_ada.post(address(assignment), typed("submit", no_errors="on"))
    html = as_ada.get(f"{QUEUE}?after={study.assignments[2].pk}").content.decode()
    assert "all-done" in codes(html)
    assert numbers(html, "submitted") == ["3"]
    assert "undo" in codes(html)


def test_my_batches_say_how_far_each_is(study: Study, as_ada: Client) -> None:
    as_ada.post(address(study.assignments[0]), typed("submit", no_errors="on"))
    make_assignment(study.ada, batch=make_batch(study.project, name="Second batch"))
    make_assignment(study.ada, batch=make_batch(study.project, name="To come", status="preparing"))
    rows = as_ada.get(QUEUE).context["batches"]
    found = [(batch.name, batch.status, count.words) for batch, count in rows]
    assert found == [
        ("Second batch", "open", "0 of 1 submitted"),
        ("First batch", "open", "1 of 3 submitted"),
    ]


def test_skipped_images_are_listed_counted_and_can_be_resumed(study: Study, as_ada: Client) -> None:
    for assignment in study.assignments[:2]:
        as_ada.post(address(assignment), typed("submit", no_errors="on"))
    skipped = study.assignments[2]
    assert skipped.annotator.user is not None
    skip_assignment(
        assignment=skipped,
        actor=skipped.annotator.user,
        reason="broken",
        replaces=0,
        request_key=uuid4(),
    )
    page = as_ada.get(f"{QUEUE}?after={skipped.pk}")
    assert {"all-done", "undo", "skipped"} <= set(codes(page))
    assert numbers(page.content.decode(), "skipped") == ["3"]
    assert page.context["progress"].words == "2 of 3 submitted, 1 skipped"
    assert [row.pk for row in listed(page, "skipped")] == [skipped.pk]
    after = page.context["after"]
    as_ada.post(
        address(skipped), {"action": "reopen", "version": after.version, "request_key": after.request_key}
    )
    assert Assignment.objects.get(pk=skipped.pk).status == "open"


def test_what_a_lead_sends_back_is_marked_and_can_be_changed(study: Study, as_ada: Client) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("submit", no_errors="on"))
    close_batch(batch=first.batch, reason="Done.", actor=study.lead.user)
    assert study.lead.user is not None
    submitted = Annotation.objects.get(assignment=first)
    submitted.assignment = first
    reopen_for_annotator(
        annotation=submitted, actor=study.lead.user, reason="Look again.", request_key=uuid4()
    )
    page = as_ada.get(QUEUE)
    html = page.content.decode()
    assert "sent-back" in codes(html)
    [row] = listed(page, "drafts")
    assert (row.pk, row.locked, row.sent_back) == (first.pk, False, True)  # type: ignore[attr-defined]
    assert f'href="{address(first)}"' in html


def test_imported_annotations_are_no_work_of_ones_own(study: Study, as_ada: Client) -> None:
    elsewhere = make_batch(study.project, name="Imported", prompt_seen="unknown")
    make_assignment(study.ada, batch=elsewhere, image=study.assignments[0].image, status="done")
    page = as_ada.get(QUEUE)
    html = page.content.decode()
    assert numbers(html, "to-go") == ["3"]
    assert page.context["progress"].words == "0 of 3 submitted, 1 imported"
    assert [batch.name for batch, _ in page.context["batches"]] == [study.assignments[0].batch.name]
    membership = with_waiting(Membership.objects.filter(pk=study.ada.pk)).get()
    assert (membership.owed, membership.waiting) == (3, 3)  # type: ignore[attr-defined]


class TestFirstDay:
    def test_training_comes_before_the_first_image(self, study: Study, as_ada: Client) -> None:
        """Also if it was released later: the steps lead to it, and count it apart."""
        lead = make_member(study.project, Membership.Role.LEAD, code="teacher").user
        assert lead is not None
        references = [
            add_reference(
                image=make_stored_image(study.project),
                protocol="anatomy",
                payload=make_payload([("extra.hands", "1/2b")]),
                origin=Reference.Origin.PLANTED,
                actor=lead,
            )
            for _ in range(2)
        ]
        release_training(
            project=study.project,
            name="T",
            protocol="anatomy",
            references=[one.pk for one in references],
            people=[study.ada],
            actor=lead,
        )
        first, second = Assignment.objects.filter(purpose="training").order_by("position")
        as_ada.get("/projects/pilot/guideline/")
        html = as_ada.get(QUEUE).content.decode()
        assert html.count("button primary large") == 1
        assert f'class="button primary large" href="{address(first)}"' in html
        assert "0 of 2" in html
        assert f'href="{address(study.assignments[0])}">Start annotating' not in html
        submit(first)
        page = as_ada.get(QUEUE)
        assert "first-day" in codes(page)
        assert numbers(page.content.decode(), "training") == ["1", "2"]
        assert numbers(page.content.decode(), "to-go") == ["3"]
        assert f'href="{address(second)}">Continue training' in page.content.decode()
        submit(second)
        html = as_ada.get(QUEUE).content.decode()
        assert "Done: 2 images." in html
        assert f'class="button primary large" href="{address(study.assignments[0])}"' in html


DEFAULTS = {"single_keys": True, "surround": "auto", "show_score": False, "hide_codes": False}


def stored(name: str = "ada") -> dict[str, Any]:
    preferences: dict[str, Any] = User.objects.get(username=name).preferences
    return preferences


def send(client: Client, body: object) -> Any:
    return checked(client.post("/settings/", body, content_type="application/json"))


def test_a_script_changes_all_or_some(study: Study, as_ada: Client) -> None:
    everything = {"single_keys": False, "surround": "dark", "show_score": True, "hide_codes": True}
    response = send(as_ada, everything)
    assert (response.status_code, facts(response), stored()) == (200, everything, everything)
    response = send(as_ada, {"surround": "auto"})
    assert facts(response) == stored() == {**everything, "surround": "auto"}
    assert stored("bob") == DEFAULTS
