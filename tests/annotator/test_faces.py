"""Faces: rectangles, decisions, blurred copies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from io import BytesIO
from typing import Any

import pytest
from django.core.files.storage import default_storage
from PIL import Image as Picture
from PIL import ImageChops, ImageFilter, ImageStat
from PIL.Image import Image as Pixels

from annotator.faces.blurring import copies_of, make_blurred, name_of, open_blurred
from annotator.faces.decisions import (
    FacesRefused,
    current_of,
    decide,
    decide_from_file,
    images_to_draw,
    look_at,
    take_back,
    waiting_proposals,
)
from annotator.faces.rectangles import MOST, InvalidRectangle, Rectangle, checked
from annotator.images.display import store_image
from annotator.images.encoding import blur
from annotator.images.storage import save_whole
from annotator.models import Event, FaceDecision, Image, Membership, Project
from tests.factories import (
    LEAD,
    REVIEWER,
    decide_faces,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
)
from tests.support.codes import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
BLURRED = {"protocol": "realism", "picture": "faces_blurred"}


def test_a_new_decision_replaces_the_old_one_which_stays(project: Project, lead: Membership) -> None:
    image, helper = make_image(project), make_member(project, draws_faces=True)
    first = decide(image=image, rectangles=[(1, 2, 3, 4)], member=helper)
    assert (first.rectangles, first.source, first.decided_by) == ([[1, 2, 3, 4]], "drawn", helper)
    event = Event.objects.get(verb="faces_decided")
    assert event.actor == helper.user
    assert event.data == {"image": str(image.public_id), "sha256": image.sha256, "rectangles": [[1, 2, 3, 4]]}
    second = decide(image=image, rectangles=[], member=lead)
    image.refresh_from_db()
    first.refresh_from_db()
    assert image.faces == second.key
    assert first.replaced_at is not None
    assert list(FaceDecision.objects.filter(replaced_at=None)) == [second]
    event = Event.objects.filter(verb="faces_decided").latest("pk")
    assert event.data["replaced"] == {"rectangles": [[1, 2, 3, 4]], "source": "drawn"}


def test_only_leads_and_helpers_decide(project: Project) -> None:
    image = make_image(project)
    for member in (
        make_member(project),
        make_member(project, REVIEWER),
        make_member(project, is_active=False),
    ):
        with refused(FacesRefused, "no-right"):
            decide(image=image, rectangles=[], member=member)
    decide(image=image, rectangles=[], member=make_member(project, draws_faces=True))


def test_who_rates_an_image_never_marks_its_faces(project: Project) -> None:
    helper, other = make_member(project, draws_faces=True), make_image(project)
    rated = make_assignment(helper, batch=make_batch(project, **BLURRED)).image
    plain = make_assignment(helper).image
    assert set(images_to_draw(helper)) == {other, plain}
    with refused(FacesRefused, "rates-it"):
        decide(image=rated, rectangles=[], member=helper)


def test_a_decision_stays_while_an_open_batch_needs_it(project: Project, lead: Membership) -> None:
    batch = make_batch(project, **BLURRED)
    image = make_assignment(make_member(project), batch=batch).image
    assert not take_back(image=image, member=lead)
    decide(image=image, rectangles=[], member=lead)
    with refused(FacesRefused, "in-batch"):
        take_back(image=image, member=lead)
    batch.status = "closed"
    batch.save()
    assert take_back(image=image, member=lead)
    image.refresh_from_db()
    assert image.faces is None
    assert Event.objects.get(verb="faces_withdrawn").data["replaced"]["source"] == "drawn"


def test_a_file_decides_all_or_nothing(project: Project, lead: Membership) -> None:
    one, two, three = (make_image(project) for _ in range(3))
    decide(image=one, rectangles=[(0, 0, 2, 2)], member=lead)
    faces = {one.pk: [[1.0, 1, 2, 2]], two.pk: []}
    facts = {"file": "faces.csv"}
    with refused(FacesRefused, "images-gone"):
        decide_from_file(project=project, faces={**faces, 10**9: []}, actor=lead.user, facts=facts)
    assert FaceDecision.objects.count() == 1
    assert decide_from_file(project=project, faces=faces, actor=lead.user, facts=facts) == 2
    event = Event.objects.get(verb="faces_imported")
    assert event.data == {"file": "faces.csv", "images": 2, "replaced": 1}
    assert list(project.images.filter(faces=None)) == [three]
    assert decide_from_file(project=project, faces=faces, actor=lead.user, facts=facts) == 0
    assert Event.objects.filter(verb="faces_imported").count() == 1


def proposed(project: Project, *faces: tuple[Image, Any], proposals: bool = True) -> int:
    found = {image.pk: rectangles for image, rectangles in faces}
    return decide_from_file(project=project, faces=found, actor=None, facts={}, proposals=proposals)


def test_proposals_wait_and_replace_only_proposals(project: Project, lead: Membership) -> None:
    one, two, three = (make_image(project) for _ in range(3))
    decide(image=one, rectangles=[(0, 0, 2, 2)], member=lead)
    boxes = [[1.0, 1, 2, 2], [3, 3, 2, 2]]
    assert proposed(project, (one, boxes), (two, [[0, 0, 1, 1]]), (three, boxes)) == 2
    assert current_of([one.pk])[one.pk].rectangles == [[0, 0, 2, 2]]
    assert list(waiting_proposals(project.images.all())) == [three, two]
    assert proposed(project, (two, []), (three, boxes)) == 1
    old, new = FaceDecision.objects.filter(image=two).order_by("pk")
    assert look_at(keys=[old.key, new.key], member=lead) == 1
    assert look_at(keys=[old.key, new.key], member=lead) == 0
    seen = current_of([two.pk])[two.pk]
    assert (seen.source, seen.decided_by, seen.looked_at is not None) == ("seen", lead, True)
    assert Event.objects.get(verb="faces_looked_at").data == {"code": lead.code, "images": [two.sha256]}
    assert list(waiting_proposals(project.images.all())) == [three]
    # A file of decisions takes the place of a proposal, which takes that of none.
    assert proposed(project, (three, boxes), proposals=False) == 1
    assert proposed(project, (three, []), (two, boxes)) == 0
    assert list(waiting_proposals(project.images.all())) == []


def test_who_may_not_mark_faces_or_rates_the_image_looks_at_none(project: Project) -> None:
    image, helper = make_image(project), make_member(project, draws_faces=True)
    proposed(project, (image, [[0, 0, 1, 1]]))
    keys = [FaceDecision.objects.get().key]
    with refused(FacesRefused, "no-right"):
        look_at(keys=keys, member=make_member(project))
    make_assignment(helper, image=image, batch=make_batch(project, **BLURRED))
    assert look_at(keys=keys, member=helper) == 0


@pytest.mark.parametrize(
    ("rectangle", "code"),
    [
        ((float("nan"), 0, 1, 1), "not-a-number"),
        ((10**400, 0, 1, 1), "not-a-number"),
        ((-1, 0, 2, 2), "outside"),
        ((9, 9, 2, 1), "outside"),
        ((0, 0, 1, 10.01), "outside"),
        ((0, 0, 0, 5), "too-small"),
        ((0, 0, 5, -5), "too-small"),
    ],
)
def test_an_impossible_rectangle_is_refused(rectangle: tuple[float, ...], code: str) -> None:
    with refused(InvalidRectangle, code):
        checked([(1, 1, 2, 2), rectangle], 10, 10)


def test_too_many_rectangles_are_refused() -> None:
    assert len(checked([(n, 0, 1, 1) for n in range(MOST)], 100, 10)) == MOST
    with refused(InvalidRectangle, "too-many"):
        checked([(n, 0, 1, 1) for n in range(MOST + 1)], 100, 10)


def test_a_rectangle_grows_by_15_percent_on_each_side_inside_the_image() -> None:
    assert Rectangle(60, 60, 80, 40).enlarged(200, 200) == (48, 54, 152, 106)
    assert Rectangle(0, 60, 80, 130).enlarged(200, 200) == (0, 40, 92, 200)


SIDE = 200
BOX = (60, 60, 80, 80)
ENLARGED = Rectangle(*BOX).enlarged(SIDE, SIDE)
INSIDE = (60, 60, 140, 140)
# Brought up by 128, so that negative values are not cut off; the variance is the same.
LAPLACIAN = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=1, offset=128)


def noise() -> Pixels:
    return Picture.effect_noise((SIDE, SIDE), 50)


def stored(picture: Pixels, **how: Any) -> Image:
    buffer = BytesIO()
    picture.save(buffer, "PNG", **how)
    return store_image(
        project=make_project(),
        contents=buffer.getvalue(),
        source_name="a.png",
        generator="g",
        prompt="p",
        number=1,
    )


def sharpness(picture: Pixels) -> float:
    """Variance of the Laplacian of the grey values inside the box."""
    edges = picture.convert("L").crop(INSIDE).filter(LAPLACIAN).crop((1, 1, 79, 79))
    return float(ImageStat.Stat(edges).var[0])


def shown(image: Image, *, webp: bool = True) -> Pixels:
    image.refresh_from_db()
    with open_blurred(image, webp=webp) as file:
        return Picture.open(BytesIO(file.read()))


def test_the_blur_takes_99_percent_of_the_sharpness_and_has_a_hard_edge() -> None:
    picture = noise()
    blurred = picture.copy()
    blur(blurred, [ENLARGED])
    assert sharpness(picture) > 10_000
    assert sharpness(blurred) < sharpness(picture) / 100
    assert ImageChops.difference(picture, blurred).getbbox() == (48, 48, 152, 152)


def test_rectangles_are_those_of_the_upright_image() -> None:
    """A photo that EXIF turns by a quarter: the right half of what is shown is a face."""
    picture = Picture.new("RGB", (20, 40), "white")
    picture.paste(Picture.effect_noise((20, 20), 90).convert("RGB"), (0, 0))
    exif = Picture.Exif()
    exif[0x0112] = 6  # turned clockwise: the noisy top is on the right
    image = stored(picture, exif=exif)
    assert (image.width, image.height) == (40, 20)
    decide_faces([image], [[20, 0, 20, 20]])
    colours = shown(image).convert("L").crop((22, 2, 38, 18))
    lightest, darkest = colours.getextrema()[1], colours.getextrema()[0]
    assert int(lightest) - int(darkest) < 100  # type: ignore[arg-type]


def test_the_copy_goes_with_its_decision(
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    image = stored(noise())
    decide_faces([image], [list(BOX)])
    first = current_of([image.pk])[image.pk]
    shown(image, webp=False)
    assert all(default_storage.exists(name) for name in copies_of(first))
    with django_capture_on_commit_callbacks(execute=True):
        decide_faces([image], [[0, 0, 50, 50]])
    assert not any(default_storage.exists(name) for name in copies_of(first))
    second = current_of([image.pk])[image.pk]
    assert name_of(second) != name_of(first)
    shown(image)
    lead = make_member(image.project, LEAD)
    with django_capture_on_commit_callbacks(execute=True):
        assert take_back(image=image, member=lead)
    assert not default_storage.exists(name_of(second))
    make_blurred(second.pk)
    assert not default_storage.exists(name_of(second))


def test_a_copy_of_a_decision_replaced_meanwhile_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    image = stored(noise())
    decide_faces([image], [list(BOX)])
    first = current_of([image.pk])[image.pk]

    def overtaken(name: str, contents: bytes) -> None:
        decide_faces([image], [[0, 0, 50, 50]])
        save_whole(name, contents)

    monkeypatch.setattr("annotator.faces.blurring.save_whole", overtaken)
    make_blurred(first.pk)
    assert not default_storage.exists(name_of(first))
