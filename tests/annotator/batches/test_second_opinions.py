"""Second opinions: who is asked, in which batch, and what it counts for."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.data.ratings_table import load_counted
from annotator.annotations.summaries import summarise
from annotator.batches.assignments import InvalidBatch
from annotator.batches.closing import close_batch
from annotator.batches.second_opinions import ask_second_opinion, opinions_on, people_to_ask
from annotator.models import Assignment, Batch, Event, Image, Membership, Project, Standing
from annotator.people.members import deactivate_person
from annotator.records.image_deletion import delete_image
from tests.analysis.factories import make_submitted
from tests.annotator.racing import race
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member, make_project
from tests.support.codes import codes, refused

pytestmark = pytest.mark.django_db

ANATOMY = "anatomy"


@pytest.fixture
def project() -> Project:
    project = make_project("pilot")
    for code in "ABC":
        make_member(project, code=code)
    return project


def member(project: Project, code: str) -> Membership:
    return project.memberships.get(code=code)


def judged(project: Project, by: str = "A", **settings: object) -> Image:
    """An image that somebody has submitted in a batch with these settings."""
    image, person = make_image(project), member(project, by)
    batch, _ = Batch.objects.get_or_create(project=project, name="first", defaults=settings)
    row = make_assignment(person, image=image, batch=batch, status="done")
    make_submitted(person, [("missing.hands", "1/2c")], assignment=row)
    return image


def ask(image: Image, code: str = "", lead: Membership | None = None) -> Assignment:
    lead = lead or make_member(image.project, LEAD)
    assert lead.user is not None
    return ask_second_opinion(image=image, protocol=ANATOMY, actor=lead.user, code=code)


def test_the_assignment_is_targeted_and_in_a_batch_with_the_same_settings(project: Project) -> None:
    image = judged(project, show_prompt=True, guided=True, score_shown="never")
    made = ask(image)
    assert (made.annotator.code, made.drawn, made.purpose, made.position) == ("B", "targeted", "work", 1)
    batch = made.batch
    assert (batch.name, batch.status, batch.plans.count()) == ("Further images", "open", 0)
    assert (batch.show_prompt, batch.guided, batch.score_shown) == (True, True, "never")
    event = Event.objects.get(verb="second_opinion_asked")
    assert event.data == {
        "code": "B",
        "image": str(image.public_id),
        "protocol": ANATOMY,
        "batch": batch.pk,
        "name": "Further images",
    }


def test_opinions_share_a_batch_while_the_settings_agree(project: Project) -> None:
    first, second = judged(project), judged(project)
    one, other = ask(first), ask(second)
    assert one.batch == other.batch
    # Whoever was asked least comes next.
    assert (one.annotator.code, other.annotator.code) == ("B", "C")
    Batch.objects.filter(name="first").update(guided=True)
    third = ask(judged(project))
    assert (third.batch.name, third.batch.guided) == ("Further images 2", True)
    lead = make_member(project, LEAD)
    close_batch(batch=one.batch, reason="enough", actor=lead.user)
    Batch.objects.filter(name="first").update(guided=False)
    assert ask(judged(project)).batch.name == "Further images 3"


@pytest.mark.parametrize("purpose", Assignment.Purpose.values)
def test_nobody_is_asked_who_ever_had_the_image(project: Project, purpose: str) -> None:
    image = judged(project)
    other = make_batch(project, name="other")
    make_assignment(member(project, "B"), image=image, batch=other, purpose=purpose)
    assert [one.code for one in people_to_ask(image, ANATOMY)] == ["C"]
    with pytest.raises(InvalidBatch) as raised:
        ask(image, "B")
    assert (raised.value.code, "You can ask C" in str(raised.value)) == ("cannot-be-asked", True)


def test_a_batch_that_needs_a_qualification_asks_the_qualified(project: Project) -> None:
    image = judged(project, needs_standing=True)
    with refused(InvalidBatch, "nobody-to-ask"):
        ask(image)
    Standing.objects.create(
        membership=member(project, "C"), protocol=ANATOMY, state="qualified", changed_at=timezone.now()
    )
    made = ask(image)
    assert (made.annotator.code, made.batch.needs_standing) == ("C", True)


def test_what_cannot_be_asked_is_refused(project: Project) -> None:
    lead = make_member(project, LEAD)
    with refused(InvalidBatch, "no-opinion"):
        ask(make_image(project), lead=lead)
    image = judged(project)
    ask(image, lead=lead)
    with refused(InvalidBatch, "already-asked"):
        ask(image, lead=lead)
    Assignment.objects.filter(image=image, status="open").update(status="skipped")
    assert ask(image, lead=lead).annotator.code == "C"
    Assignment.objects.filter(image=image, status="open").update(status="done")
    with refused(InvalidBatch, "nobody-to-ask"):
        ask(image, lead=lead)
    assert [one.annotator.code for one in opinions_on(image, ANATOMY)] == ["B", "C"]
    gone = judged(project)
    delete_image(image=gone, actor=lead.user, reason="a test")
    with refused(InvalidBatch, "deleted"):
        ask(gone, lead=lead)


def test_an_opinion_counts_in_comparisons_and_not_in_agreement(project: Project) -> None:
    image = judged(project)
    made = ask(image)
    Assignment.objects.filter(pk=made.pk).update(status="done")
    make_submitted(made.annotator, [("missing.hands", "2/2c")], assignment=made)
    frame, _ = load_counted(project, ANATOMY)
    assert (len(frame), len(frame.at_random), frame.targeted_counts()) == (
        2,
        1,
        {"targeted": {"answers": 1, "images": 1}},
    )


def test_a_lead_asks_on_the_page_of_the_image(project: Project, client: Client) -> None:
    image, lead = judged(project), make_member(project, LEAD)
    assert lead.user is not None
    client.force_login(lead.user)
    summarise(project.pk, [image.pk], ANATOMY)
    page = reverse("image_detail", args=["pilot", image.public_id])
    assert {"opinions", "ask-opinion"} <= set(codes(client.get(page).content.decode()))
    gallery = client.get(reverse("project_images", args=["pilot"])).content.decode()
    assert "ask-opinion" in codes(gallery)
    form = {"image": image.public_id, "code": "C", "back": page}
    sent = client.post(reverse("second_opinion", args=["pilot"]), form, follow=True)
    assert sent.redirect_chain == [(page, 302)]
    shown = codes(sent.content.decode())
    assert {"second-opinion-asked", "opinion-open"} <= set(shown)
    assert "ask-opinion" not in shown
    for back in ("https://example.org/", "//example.org/", "elsewhere"):
        answer = client.post(reverse("second_opinion", args=["pilot"]), form | {"back": back})
        assert answer["Location"] == page


@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
def test_two_leads_ask_at_once(project: Project) -> None:
    image, leads = judged(project), [make_member(project, LEAD) for _ in range(2)]

    def asking(lead: Membership) -> object:
        return ask(Image.objects.get(pk=image.pk), lead=lead)

    outcomes = race([lambda lead=lead: asking(lead) for lead in leads])  # type: ignore[misc]
    assert sorted(type(one).__name__ for one in outcomes) == ["Assignment", "InvalidBatch"]
    assert Assignment.objects.filter(image=image, drawn="targeted").count() == 1


@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
def test_nobody_is_asked_who_has_left(project: Project) -> None:
    image, lead = judged(project), make_member(project, LEAD)
    outcomes = race(
        [
            lambda: ask(Image.objects.get(pk=image.pk), "B", lead),
            lambda: deactivate_person(membership=member(project, "B"), actor=lead.user),
        ]
    )
    asked = [type(one).__name__ for one in outcomes]
    assert asked in (["Assignment", "bool"], ["InvalidBatch", "bool"])
    rows = Assignment.objects.filter(drawn="targeted").count()
    assert rows == (asked[0] == "Assignment")
