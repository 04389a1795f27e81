"""The pages on which faces are marked, without a script."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotator.faces.decisions import decide_from_file
from annotator.images.signed_urls import image_url
from annotator.models import Event, FaceDecision, Image, Membership, Project
from tests.factories import (
    REVIEWER,
    decide_faces,
    make_assignment,
    make_batch,
    make_member,
    make_project,
    make_stored_image,
    user_of,
)
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("faces")


def address(image: Image) -> str:
    return reverse("faces_image", args=[image.project.slug, image.public_id])


def test_rectangles_are_saved_and_the_next_image_comes(project: Project, lead: Membership) -> None:
    first, second = (make_stored_image(project) for _ in range(2))
    typed = {
        "action": "save",
        "x": ["1", "", "4,5"],
        "y": ["1", "", "0"],
        "w": ["2", "", "2"],
        "h": ["3", "", "2"],
    }
    answer = signed_in(lead).post(address(first), typed)
    assert answer["Location"] == address(second)
    assert FaceDecision.objects.get().rectangles == [[1, 1, 2, 3], [4.5, 0, 2, 2]]
    answer = signed_in(lead).post(address(second), {"action": "none", "x": "1"})
    assert answer["Location"] == reverse("faces", args=["faces"])
    assert FaceDecision.objects.get(image=second).rectangles == []


def test_when_all_are_decided_a_lead_goes_on(project: Project, lead: Membership) -> None:
    client, faces = signed_in(lead), reverse("faces", args=[project.slug])
    make_stored_image(project)
    assert "next-step" not in codes(client.get(faces).content.decode())
    decide_faces(project.images.all())
    assert {"all-decided", "next-step"} <= set(codes(client.get(faces).content.decode()))


def test_a_helper_marks_what_they_do_not_rate_and_sees_it(project: Project) -> None:
    helper, other = make_member(project, draws_faces=True), make_stored_image(project)
    batch = make_batch(project, protocol="realism", picture="faces_blurred")
    rated = make_assignment(helper, batch=batch, image=make_stored_image(project)).image
    client = signed_in(helper)
    assert client.get(address(other)).status_code == 200
    assert client.get(image_url(other, user_of(helper))).status_code == 200
    assert client.get(address(rated)).status_code == 404
    assert client.post(address(rated), {"action": "none"}).status_code == 404
    assert client.get(image_url(rated, user_of(helper))).status_code == 404
    assert address(rated) not in client.get(reverse("faces", args=["faces"])).content.decode()
    Membership.objects.filter(pk=helper.pk).update(draws_faces=False)
    assert client.get(address(other)).status_code == 404
    assert client.get(image_url(other, user_of(helper))).status_code == 404


def test_a_lead_gives_the_right_to_an_annotator(project: Project, lead: Membership) -> None:
    member, reviewer = make_member(project), make_member(project, REVIEWER)
    client = signed_in(lead)
    for _ in range(2):
        client.post(reverse("person_faces", args=["faces", member.pk]), {"draws_faces": "on"})
    assert Membership.objects.get(pk=member.pk).draws_faces
    assert Event.objects.get(verb="faces_right_changed").data == {"code": member.code, "draws_faces": True}
    client.post(reverse("person_faces", args=["faces", member.pk]))
    assert not Membership.objects.get(pk=member.pk).draws_faces
    client.post(reverse("person_faces", args=["faces", reviewer.pk]), {"draws_faces": "on"})
    assert not Membership.objects.get(pk=reviewer.pk).draws_faces


def test_proposals_are_looked_at_twelve_at_a_time(project: Project, lead: Membership) -> None:
    images = [make_stored_image(project) for _ in range(13)]
    faces = {image.pk: [[0.0, 0.0, 1.0, 1.0]] * min(number, 1) for number, image in enumerate(images)}
    decide_from_file(project=project, faces=faces, actor=None, facts={}, proposals=True)
    page, client = f"{reverse('faces', args=['faces'])}?state=look", signed_in(lead)
    shown = client.get(page)
    assert [row[0] for row in shown.context["rows"]] == images[1:]
    assert {"looked-at", "to-look-at"} <= set(codes(shown))
    keys = [str(decision.key) for _, decision in shown.context["rows"]]
    done = client.post(reverse("faces_looked_at", args=["faces"]), {"key": keys}, follow=True)
    assert [row[0] for row in done.context["rows"]] == images[:1]
    assert FaceDecision.objects.filter(source="seen", decided_by=lead).count() == 12
    # Saving the last one on its own page returns here.
    saved = client.post(f"{address(images[0])}?look=1", {"action": "none"}, follow=True)
    assert "all-looked-at" in codes(saved)
    assert client.post(reverse("faces_looked_at", args=["faces"]), {"key": "x"}).status_code == 400
