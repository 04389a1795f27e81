"""The realism page in Chromium: one key for each image, taking back, the guard, the form without script."""

from __future__ import annotations

import os
import random
from fractions import Fraction

import pytest
from playwright.sync_api import Page, expect

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project
from tests.browser.conftest import PASSWORD, OpenPage, long_queue, picture
from tests.browser.labelling.labelling_page import FIGURE_8_KEYS, label, open_label, press
from tests.factories import decide_faces, make_assignment, make_batch, make_image, make_member, make_user

SEEN_MS = 400
"""Longer than a new image takes no answers."""


@pytest.fixture
def realism(pilot: Project, ada: Membership) -> Batch:
    """A batch under the realism protocol."""
    return make_batch(pilot, name="Realism", protocol="realism")


@pytest.fixture
def work(realism: Batch, ada: Membership, pilot: Project) -> list[Assignment]:
    """Four images to rate."""
    return [make_assignment(ada, batch=realism, image=picture(pilot, number)) for number in range(1, 5)]


@pytest.fixture
def page(open_page: OpenPage, work: list[Assignment]) -> Page:
    """A page of `ada`."""
    return open_page("ada", viewport={"width": 1280, "height": 720})


def stored(work: list[Assignment]) -> list[tuple[object, str] | None]:
    """Return rating or reason, and status, of each image; None without an annotation."""
    found = []
    for assignment in Assignment.objects.filter(pk__in=[one.pk for one in work]).order_by("position"):
        annotation = getattr(assignment, "annotation", None)
        said = annotation and (annotation.payload["rating"] or annotation.payload["invalid"])
        found.append((said, annotation.status) if annotation else None)
    return found


def seen(page: Page, place: str) -> None:
    """Wait until an image has been seen."""
    expect(page.locator("#place")).to_have_text(place)
    page.wait_for_timeout(SEEN_MS)


@pytest.mark.main_path
def test_another_protocol_opens_its_own_page(
    open_page: OpenPage, pilot: Project, ada: Membership, realism: Batch
) -> None:
    anatomy = make_batch(pilot, name="Anatomy", protocol="anatomy")
    batches = (realism, anatomy, make_batch(pilot, name="More", protocol="realism"))
    mixed = [make_assignment(ada, batch=each, image=picture(pilot, n)) for n, each in enumerate(batches, 1)]
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, mixed[0])
    seen(page, "1 of 3")
    press(page, "7")
    page.wait_for_url(f"**{label(mixed[1])}?after={mixed[0].pk}")
    page.wait_for_selector("main[data-ready]")
    press(page, f"{FIGURE_8_KEYS} Ctrl+Enter")
    page.wait_for_url(f"**{label(mixed[2])}?after={mixed[1].pk}")
    page.wait_for_selector("main[data-ready]")
    seen(page, "3 of 3")
    press(page, "4")
    page.wait_for_url("**/queue/**")
    assert Assignment.objects.filter(annotation__status="submitted").count() == 3


@pytest.mark.main_path
def test_one_key_rates_an_image(page: Page, work: list[Assignment]) -> None:
    open_label(page, work[0])
    seen(page, "1 of 4")
    press(page, "7")
    expect(page.locator("#line")).to_contain_text("7 saved for image 1.")
    seen(page, "2 of 4")
    press(page, "0")
    seen(page, "3 of 4")
    press(page, "i 2")
    seen(page, "4 of 4")
    assert stored(work) == [(7, "submitted"), (10, "submitted"), ("no_person", "submitted"), None]
    expect(page.locator(".recent a")).to_have_text(["7", "10", "–"])
    # The last rating is taken back on the next image, and rated anew.
    press(page, "Backspace")
    seen(page, "3 of 4")
    assert stored(work)[2] == ("no_person", "reopened")
    press(page, "4")
    seen(page, "4 of 4")
    assert stored(work)[2] == (4, "submitted")
    expect(page.locator(".recent a")).to_have_text(["7", "10", "4"])


RATERS = 8
EACH = 5
SEED = 7
QUEUE_SEEN_MS = 280
"""Longer than a new image takes no answers."""
SEEN = f"""
  () => new Promise((seen) => {{
    const later = () => setTimeout(seen, {QUEUE_SEEN_MS});
    const frames = () => requestAnimationFrame(() => requestAnimationFrame(later));
    document.querySelector("main img").decode().then(frames, frames);
  }})
"""
"""Wait until the image has been painted and its guard is over."""
REPEAT_MS = 40
"""How often a keyboard repeats a held key."""


def drawn(project: Project, number: int) -> None:
    """Give the project images of three generators that all show one picture."""
    shown = picture(project, 1)
    Image.objects.filter(pk=shown.pk).update(generator="g0", number=0)
    for place in range(1, number):
        make_image(
            project,
            generator=f"g{place % 3}",
            number=place,
            display=shown.display.name,
            width=240,
            height=160,
        )
    project.images.update(display_state=shown.display_state)
    decide_faces(project.images.all())


def rate_all(queues: list[tuple[Page, list[Assignment], list[int]]]) -> None:
    """Rate queues from their first images, one key each, as soon as each image has been seen.

    The raters take turns, so that all of them wait at the same time.
    """
    for page, work, _ in queues:
        open_label(page, work[0])
    for place in range(max(len(work) for _, work, _ in queues)):
        busy = [queue for queue in queues if place < len(queue[1])]
        for page, work, _ in busy:
            expect(page.locator("#place")).to_have_text(f"{place + 1} of {len(work)}")
            page.evaluate(f"() => void (window.seen = ({SEEN})())")
        for page, _, ratings in busy:
            page.evaluate("() => window.seen")
            page.keyboard.press(str(ratings[place] % 10))
    for page, _, _ in queues:
        page.wait_for_url("**/queue/**")


# Of 1,200 images, each rater's 150 are seen for longer than the guard.
ALL = pytest.param(
    240 if os.environ.get("REPLAY") == "all" else 40, marks=(pytest.mark.thorough, pytest.mark.timeout(3600))
)


@pytest.mark.parametrize("images", [8, ALL])
def test_every_key_of_every_rater_is_stored(open_page: OpenPage, pilot: Project, images: int) -> None:
    """Five of eight raters judge each image as planned: no difference between keys and ratings."""
    drawn(pilot, images)
    people = [
        make_member(pilot, user=make_user(f"rater{place}", password=PASSWORD), code=f"r{place}")
        for place in range(RATERS)
    ]
    design = design_of(
        project=pilot,
        images=pilot.images.all(),
        people=people,
        overlap=Fraction(1),
        per_image=EACH,
        seed=SEED,
    )
    release_plan(project=pilot, name="Realism", plan=make_plan(design), protocol="realism")
    chance = random.Random(SEED)
    queues = []
    for place, person in enumerate(people):
        work = list(Assignment.objects.filter(annotator=person).order_by("position"))
        page = open_page(f"rater{place}", viewport={"width": 1280, "height": 720})
        queues.append((page, work, [chance.randint(1, 10) for _ in work]))
    rate_all(queues)
    pressed = {
        one.pk: rating for _, work, ratings in queues for one, rating in zip(work, ratings, strict=True)
    }
    stored = dict(Annotation.objects.filter(status="submitted").values_list("assignment", "payload__rating"))
    assert len(pressed) == EACH * images
    assert stored == pressed


def test_a_key_held_over_twenty_images_stores_one_answer(
    open_page: OpenPage, pilot: Project, ada: Membership
) -> None:
    work = long_queue(pilot, ada, 20)
    work[0].batch.protocol = "realism"
    work[0].batch.save()
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, work[0])
    page.evaluate(SEEN)
    # As long as twenty images by one key take, even without a pause for looking.
    for _ in range(20 * QUEUE_SEEN_MS // REPEAT_MS):
        page.keyboard.down("5")
        page.wait_for_timeout(REPEAT_MS)
    page.keyboard.up("5")
    expect(page.locator("#place")).to_have_text("2 of 20")
    assert list(Annotation.objects.values_list("assignment", "payload__rating", "status")) == [
        (work[0].pk, 5, "submitted")
    ]
