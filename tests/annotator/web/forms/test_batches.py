"""The form of a batch: what it proposes, and anchors and repeats, checked, previewed and released."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Batch, Image, Project
from tests.annotator.batches.test_checks import refer
from tests.annotator.planned import confirmation, make_study
from tests.annotator.web.views.lead.test_batch_new import address, order, people
from tests.factories import LEAD, make_batch, make_image, make_member, make_payload, make_user
from tests.support.codes import codes, numbers


@pytest.fixture
def project(db: None) -> Project:
    """80 images, annotators A and B, and a lead."""
    project = make_study("pilot", "AB", generators=2, prompts=20)
    make_member(project, LEAD, user=make_user("lee"), code="lee")
    return project


@pytest.fixture
def lead(project: Project) -> Client:
    client = Client()
    client.force_login(project.memberships.get(code="lee").user)  # type: ignore[arg-type]
    return client


@pytest.fixture
def references(project: Project) -> list[Image]:
    """Three images with a reference that the form's filter leaves out of the work."""
    images = [make_image(project, generator="generator-9", prompt="reference") for _ in range(3)]
    refer(images)
    return images


def checked(project: Project, **more: Any) -> dict[str, Any]:
    wanted = {"generators": ["generator-0", "generator-1"], "anchors": "5", "repeats": "5", "overlap": "0"}
    return order(project, **{**wanted, **more})


def test_anchors_are_off_until_there_are_references(project: Project, lead: Client) -> None:
    page = lead.get(address(project))
    assert page.context["form"]["anchors"].value() == 0
    assert "no-references" in codes(page.content.decode())
    refer([make_image(project)])
    page = lead.get(address(project))
    assert (page.context["form"]["anchors"].value(), page.context["form"]["repeats"].value()) == (5, 0)
    assert "no-references" not in codes(page.content.decode())


def test_anchors_are_proposed_for_the_protocol_that_has_references(project: Project, lead: Client) -> None:
    refer([make_image(project)])
    make_batch(project, protocol="realism")
    for named, share in (("", 0), ("?protocol=anatomy", 5), ("?protocol=realism", 0)):
        page = lead.get(address(project) + named)
        assert page.context["form"]["anchors"].value() == share
        assert ("no-references" in codes(page.content.decode())) == (share == 0)
    page = lead.post(address(project), order(project, "edit", protocol="anatomy"))
    assert "no-references" not in codes(page.content.decode())


def released(project: Project, lead: Client) -> Batch:
    page = lead.post(address(project), checked(project))
    assert page.status_code == 200
    assert not {"anchors-none", "anchors-few", "repeats-none", "repeats-few"} & set(
        codes(page.content.decode())
    )
    assert "checks-cost" in codes(page.content.decode())
    (first, _) = page.context["table"].loads
    assert (first.total, first.anchors, first.repeats, first.all) == (40, 2, 2, 44)
    assert lead.post(address(project), confirmation(page)).status_code == 302
    return Batch.objects.get()


def test_the_preview_counts_them_and_the_release_keeps_them(
    project: Project, lead: Client, references: list[Image]
) -> None:
    batch = released(project, lead)
    held = batch.assignments.filter(annotator__code="A")
    assert [held.filter(purpose=purpose).count() for purpose in ("work", "anchor", "repeat")] == [40, 2, 2]
    anchors = set(batch.assignments.filter(purpose="anchor").values_list("image", flat=True))
    assert anchors < {image.pk for image in references}
    # Images with references that nobody has as an anchor stay available; the others are left out.
    again = lead.post(address(project), order(project, name="Batch 2", overlap="0", coders="1"))
    assert "familiar" in codes(again.content.decode())
    assert again.context["facts"]["familiar"] == 2
    assert again.context["facts"]["images"] == 1


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"anchors": "1"}, "anchors-none"),
        ({"anchors": "20"}, "anchors-few"),
        ({"repeats": "1"}, "repeats-none"),
        ({"repeats": "50"}, "repeats-few"),
    ],
)
def test_the_preview_says_what_could_not_be(
    project: Project, lead: Client, references: list[Image], more: dict[str, str], code: str
) -> None:
    page = lead.post(address(project), checked(project, **more))
    assert code in codes(page.content.decode())


def test_a_repeat_shows_an_empty_form(project: Project, lead: Client, references: list[Image]) -> None:
    batch = released(project, lead)
    again = batch.assignments.filter(annotator__code="A", purpose="repeat")[0]
    first = batch.assignments.get(annotator__code="A", image=again.image, purpose="work")
    user = make_user("ada")
    batch.project.memberships.filter(code="A").update(user=user)
    ada = Client()
    ada.force_login(user)
    said = make_payload([("missing.hands", "1/3b")], note="what was said first")
    answer = ada.post(
        reverse("answer_submit", args=[first.pk]),
        {"version": 0, "request_key": "0" * 31 + "1", "payload": said, "capture": {}},
        content_type="application/json",
    )
    assert answer.status_code == 200
    shown, state = (ada.get(reverse(name, args=[again.pk])) for name in ("label", "answer_state"))
    assert b"what was said first" in ada.get(reverse("own_answer", args=[first.pk])).content
    assert b"what was said first" not in shown.content
    assert b"what was said first" not in state.content
    assert not Annotation.objects.filter(assignment=again, payload__marks__0__isnull=False).exists()
    for page in (shown.content, state.content, ada.get("/projects/pilot/queue/").content):
        assert b"anchor" not in page.lower().replace(b"text-anchor", b"")


def test_the_overlap_proposed_is_that_of_the_protocol(project: Project, lead: Client) -> None:
    def proposed() -> tuple[Any, ...]:
        page = lead.get(address(project))
        names = ("protocol", "overlap", "overlap_unit", "coders")
        return (*(page.context["form"][name].value() for name in names), codes(page))

    *values, said_there = proposed()
    assert values == ["anatomy", 25, "percent", 2]
    assert "raters" not in said_there
    make_batch(project, protocol="realism")
    *values, said_there = proposed()
    # Two are selected, and a score needs three.
    assert values == ["realism", 100, "percent", 3]
    assert {"raters", "few-people"} <= set(said_there)
    page = lead.get(address(project))
    assert numbers(page, "few-people") == ["3"]
    assert numbers(page, "raters") == ["1", "10", "100", "5", "3", "3"]
    for _ in range(2):
        make_member(project)
    page = lead.get(address(project))
    assert "few-people" not in codes(page)
    # Of the five usual, those who are there.
    assert page.context["form"]["coders"].value() == 4


def test_the_form_says_if_the_people_are_too_few_for_a_score(project: Project, lead: Client) -> None:
    def shown(**asked: Any) -> tuple[int, list[str]]:
        page = lead.get(address(project), {"protocol": "realism", **asked})
        found = numbers(page, "too-few-raters")[-2:] if "too-few-raters" in codes(page) else []
        return page.context["form"]["coders"].value(), found

    everybody = [str(pk) for pk in people(project)]
    assert shown() == (3, ["3", "2"])
    assert shown(annotators=everybody[:1]) == (3, ["3", "1"])
    more = [str(make_member(project).pk) for _ in range(4)]
    assert shown(annotators=[*everybody, *more[:2]]) == (4, [])
    assert shown() == (5, [])
    assert "too-few-raters" not in codes(lead.get(address(project), {"protocol": "presence"}))
    assert "blurs-faces" in codes(lead.get(address(project), {"protocol": "realism"}))


def test_the_errors_lead_to_their_fields(project: Project, lead: Client) -> None:
    wrong = order(project, coders="9", name="", which="nothing", annotators=[people(project)[0]], seed="x")
    page = lead.post(address(project), {**wrong, f"capacity_{people(project)[0]}": "x"})
    assert page.status_code == 422
    html = page.content.decode()
    places = re.findall(r'<li><a href="#([^"]+)"', html)
    assert places == ["id_name", "images", "id_coders", "id_seed", f"id_capacity_{people(project)[0]}"]
    assert all(html.count(f'id="{place}"') == 1 for place in places)


def test_images_are_unassigned_under_each_protocol_of_their_own(project: Project, lead: Client) -> None:
    lead.post(address(project), confirmation(lead.post(address(project), order(project))))
    counted = [
        lead.get(reverse("batch_images", args=[project.slug]), {"which": "new", "protocol": protocol})
        for protocol in ("anatomy", "presence")
    ]
    assert [page.context["count"] for page in counted] == [0, project.images.count()]
    page = lead.post(address(project), order(project, name="Next", protocol="presence"))
    assert (page.status_code, page.context["facts"]["images"]) == (200, project.images.count())
    assert page.context["facts"]["again_otherwise"] > 0


def test_only_the_settings_of_the_chosen_protocol_are_offered(project: Project, lead: Client) -> None:
    def offered(protocol: str) -> list[str]:
        page = lead.get(address(project), {"protocol": protocol})
        return [setting.name for _, setting in page.context["form"].settings_offered()]

    assert "guided" in offered("anatomy")
    assert "score_shown" not in {*offered("presence"), *offered("realism")}
    sent = order(project)
    del sent["score_shown"]  # as from a page that was opened for another protocol
    assert lead.post(address(project), sent).context["order"].score_shown == "never"


def ticks(page: Any) -> set[str]:
    return set(re.findall(r'name="(show_\w+)"', page.content.decode()))


def test_a_blind_protocol_has_no_ticks_for_prompt_and_generator(project: Project, lead: Client) -> None:
    both = {"show_prompt", "show_generator"}
    # The page asks so when another protocol is chosen.
    pages = [lead.get(address(project), {"protocol": slug}) for slug in ("anatomy", "realism", "moons")]
    assert [ticks(page) for page in pages] == [both, set(), both]
    assert ["blinded" in codes(page) for page in pages] == [False, True, False]
    assert [page.context["form"]["coders"].value() for page in pages] == [2, 3, 2]
    assert ticks(lead.post(address(project), order(project, "edit", protocol="realism"))) == set()
    make_batch(project, protocol="realism")
    assert ticks(lead.get(address(project))) == set()


@pytest.mark.parametrize("tick", ["show_prompt", "show_generator"])
def test_a_blind_protocol_refuses_to_show_prompt_or_generator(
    project: Project, lead: Client, tick: str
) -> None:
    page = lead.post(address(project), order(project, protocol="realism", **{tick: "on"}))
    assert (page.status_code, codes(page).count("blind"), ticks(page)) == (422, 1, set())
    assert not Batch.objects.exists()
    assert lead.post(address(project), order(project, protocol="anatomy", **{tick: "on"})).status_code == 200
