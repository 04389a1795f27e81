"""All four stages in Chromium, on figures of the demo whose planted regions must come back."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from annotator.batches.closing import close_batch
from annotator.demo.defects import planted_masks
from annotator.demo.projects import DATA
from annotator.demo.simulated import Place
from annotator.models import Batch, Image, Project
from annotator.protocols.defect.material import checked_in
from annotator.protocols.defect.simulated import Planted
from scoring.defect.masks import Mask, iou, union
from tests.annotator.protocols.defect.stages import MARKERS, REVIEWERS, described, released
from tests.browser.conftest import OpenPage
from tests.browser.defect.test_marks import look
from tests.browser.labelling.labelling_page import open_label, press
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_image, make_member, make_project, make_user

SEEN = {"width": 1280, "height": 720}


def outline(mask: Mask) -> list[tuple[float, float]]:
    """Return points around a mask whose columns have one piece each: along its top and back below."""
    ends = []
    for column, pieces in groupby(mask.columns(), key=itemgetter(0)):
        held = list(pieces)
        ends.append((column, held[0][1], held[-1][2]))
    every = [*ends[::3], ends[-1]]
    return [(x + 0.5, top) for x, top, _ in every] + [(x + 0.5, low) for x, _, low in reversed(every)]


def is_simple(errors: list[Planted]) -> bool:
    """Whether an outline along the columns of the masks is close to them."""
    pieces = [list(error.mask.columns()) for error in errors]
    return all(len(own) <= len({column for column, *_ in own}) + 2 for own in pieces) and all(
        error.mask.area > 1500 for error in errors
    )


def figure(project: Project, place: Place, number: int, size: tuple[int, int]) -> Image:
    """A figure of the demo with its copy for display in the storage."""
    generator, prompt, nth = place
    folder = prompt.replace(" ", "_")
    path = Path(DATA, "images", generator, folder, f"{generator}_{folder}_{nth:02}.webp")
    height, width = size
    image = make_image(project, generator=generator, prompt=prompt, number=number, width=width, height=height)
    image.display.save(f"stage-{image.sha256}.webp", ContentFile(path.read_bytes()), save=False)
    image.display_state = Image.DisplayState.READY
    image.save()
    return image


@pytest.fixture
def people() -> Project:
    """Those who work on the stages."""
    project = make_project("stages")
    for code in (*MARKERS, *REVIEWERS):
        make_member(project, code=code, user=make_user(code))
    make_member(project, LEAD, code="lead", user=make_user("lead"))
    return project


def drag(page: Page, points: list[tuple[float, float]], image: Image) -> None:
    """Draw round a defect with the mouse."""
    box = page.locator("#picture").bounding_box()
    assert box is not None
    scale = box["width"] / image.width
    shown = [(box["x"] + x * scale, box["y"] + y * scale) for x, y in points]
    page.mouse.move(*shown[0])
    page.mouse.down()
    for point in [*shown[1:], shown[0]]:
        page.mouse.move(*point)
    page.mouse.up()


def close(batch: Batch) -> Batch:
    """Close a batch in which everybody has submitted everything."""
    assert not batch.assignments.exclude(status="done").exists()
    return close_batch(batch=batch, reason="All is done.", actor=None)


@pytest.mark.slow
def test_the_planted_regions_come_back(people: Project, open_page: OpenPage) -> None:
    planted = planted_masks(DATA / "data")
    chosen = [place for place, errors in planted.items() if len(errors) == 1 and is_simple(errors)][:2]
    assert len(chosen) == 2
    images = {
        figure(people, place, number, planted[place][0].mask.size): planted[place]
        for number, place in enumerate(chosen)
    }
    described(people, one="An error in the figure", two="A broken hand")
    plain = figure(people, ("model-a", "person waving", 1), 9, (704, 640))
    pages = {code: open_page(code, viewport=SEEN) for code in (*MARKERS, *REVIEWERS, "lead")}

    batch = released(people, "defect-verdict", REVIEWERS)
    for assignment in batch.assignments.select_related("annotator", "image"):
        page = pages[assignment.annotator.code]
        open_label(page, assignment)
        page.wait_for_function(
            "() => document.querySelector('.sheet') && !document.querySelector('[data-early]')"
        )
        look(page, "verdict")
        press(page, "1" if assignment.image == plain else "2")
        expect(page.locator("#submit, .queue, #line")).not_to_have_count(0)
        page.wait_for_timeout(400)
    close(batch)

    batch = released(people, "defect-marks", MARKERS, batch, control=0)
    for assignment in batch.assignments.select_related("annotator", "image"):
        page = pages[assignment.annotator.code]
        open_label(page, assignment)
        page.wait_for_function("() => document.querySelector('#picture img').complete")
        page.wait_for_timeout(100)
        (error,) = images[assignment.image]
        drag(page, outline(error.mask), assignment.image)
        press(page, "t w")
        page.keyboard.type(error.text)
        press(page, "Escape")
        page.get_by_role("button", name="Serious").click()
        press(page, "Ctrl+Enter")
        page.wait_for_timeout(400)
    close(batch)

    batch = released(people, "defect-check", REVIEWERS, batch)
    first = batch.assignments.order_by("pk")[0].image
    for assignment in batch.assignments.select_related("annotator", "image"):
        page = pages[assignment.annotator.code]
        open_label(page, assignment)
        expect(page.locator("#counted")).to_have_text("0 of 4 judged")
        press(page, "k")
        # One reviewer drops a description, which an expert has to decide.
        press(
            page, "k ArrowUp t" if (assignment.annotator.code, assignment.image) == ("rev3", first) else "k"
        )
        expect(page.locator("#counted")).to_have_text("4 of 4 judged")
        look(page, "check")
        assert violations(page) == []
        with page.expect_navigation():
            press(page, "Control+Enter")
    lead = pages["lead"]
    lead.goto("/projects/stages/disagreements/?protocol=defect-check")
    look(lead, "expert")
    assert violations(lead) == []
    lead.locator("fieldset.cell label", has_text="Keep").click()
    lead.locator("#reference").fill("An expert has described this figure. The effect is serious.")
    lead.get_by_role("button", name="Adjudicate").last.click()
    close(batch)
    for image, errors in images.items():
        found = checked_in(batch, image)
        assert found is not None
        assert (iou(found.region, union([error.mask for error in errors])) or 0) >= 0.9
        assert found.source == ("expert" if image == first else "assembled")

    batch = released(people, "defect-quality", REVIEWERS, batch)
    for assignment in batch.assignments.select_related("annotator", "image"):
        page = pages[assignment.annotator.code]
        open_label(page, assignment)
        expect(page.locator(".reference")).to_contain_text("effect")
        for section in page.locator("section.thing").all():
            score = "0" if section.locator(".said").inner_text() == "No defect" else "2"
            for vote in section.locator("fieldset").all():
                vote.locator(f"input[value='{score}']").check(force=True)
        look(page, "quality")
        assert violations(page) == []
        with page.expect_navigation():
            press(page, "Control+Enter")
    close(batch)
