"""All four stages in Chromium, on figures of the demo whose planted regions must come back.

Three of them, or as many as the variable `FIGURES` says: all 60 take too long for every run.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from PIL import Image as Picture
from playwright.sync_api import Page, expect

from annotator.batches.closing import close_batch
from annotator.demo.defects import planted_masks
from annotator.demo.projects import DATA
from annotator.demo.simulated import Place
from annotator.models import Assignment, Batch, Image, Project
from annotator.protocols.defect.material import checked_in
from scoring.defect.masks import Mask, iou, union
from tests.annotator.protocols.defect.stages import MARKERS, REVIEWERS, described, released
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import open_label, press
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_image, make_member, make_project, make_user

SEEN = {"width": 1280, "height": 720}
FIGURES = int(os.environ.get("FIGURES", "3"))
MOST_ENLARGED, ENOUGH, THIN, CLICK = 5, 3, 20, 6


def outlines(mask: Mask) -> Iterator[list[tuple[float, float]]]:
    """Yield points around parts of a mask whose columns have as many pieces: along the top, back below."""
    columns = [(x, [piece[1:] for piece in held]) for x, held in groupby(mask.columns(), key=itemgetter(0))]
    for _, run in groupby(enumerate(columns), key=lambda each: (each[1][0] - each[0], len(each[1][1]))):
        beside = [column for _, column in run]
        for part in zip(*(pieces for _, pieces in beside), strict=True):
            along = [(x + 0.5, *piece) for (x, _), piece in zip(beside, part, strict=True)]
            along = [(beside[0][0], *part[0]), *along, (beside[-1][0] + 1, *part[-1])]
            # Where top and bottom stay the same, the ends are enough.
            inner = zip(along, along[1:], along[2:], strict=False)
            bends = [each for before, each, after in inner if not before[1:] == each[1:] == after[1:]]
            every = [along[0], *bends, along[-1]]
            yield [(x, top) for x, top, _ in every] + [(x, low) for x, _, low in reversed(every)]


def draw(page: Page, image: Image, mask: Mask) -> None:
    """Draw round every part of a mask with the mouse, thin ones enlarged as far as they stay in sight."""
    fit: Any = page.locator("#picture").bounding_box()
    box, enlarged = fit, 1.0

    def shown(x: float, y: float) -> tuple[float, float]:
        return box["x"] + x * box["width"] / image.width, box["y"] + y * box["height"] / image.height

    def is_seen(x: float, y: float) -> bool:
        return bool(-1 <= x - fit["x"] <= fit["width"] + 1 and -1 <= y - fit["y"] <= fit["height"] + 1)

    for part in outlines(mask):
        (left, top), (right, low) = (map(each, zip(*part, strict=True)) for each in (min, max))
        across, down = right - left, low - top
        most = min(MOST_ENLARGED, image.width / across, image.height / down)
        # A column has to be wider than the pixels in which a mouse moves.
        is_thin = min(across, down) * box["width"] / image.width < THIN
        if (is_thin and enlarged < min(most, ENOUGH)) or not all(is_seen(*shown(*point)) for point in part):
            press(page, "f")
            box, enlarged = fit, most
            # About the place that keeps the whole part in sight, however near to an edge it is.
            x, y = left / max(1 - across / image.width, 0.01), top / max(1 - down / image.height, 0.01)
            page.mouse.move(*shown(x, y))
            page.mouse.wheel(0, -500 * math.log(most))
            page.wait_for_timeout(100)
            box = page.locator("#picture").bounding_box()
        points = [shown(*point) for point in part]
        # What is hardly there would be a click.
        if math.dist(map(min, zip(*points, strict=True)), map(max, zip(*points, strict=True))) < CLICK:
            continue
        page.mouse.move(*points[0])
        page.mouse.down()
        for point in [*points[1:], points[0]]:
            page.mouse.move(*point)
        page.mouse.up()
    press(page, "f")


def figure(project: Project, path: Path, place: Place, number: int) -> Image:
    """A figure of the demo with its copy for display in the storage."""
    generator, prompt, _ = place
    with Picture.open(path) as shown:
        width, height = shown.size
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


def close(batch: Batch) -> Batch:
    """Close a batch in which everybody has submitted everything."""
    assert not batch.assignments.exclude(status="done").exists()
    return close_batch(batch=batch, reason="All is done.", actor=None)


@pytest.mark.slow
@pytest.mark.timeout(3600 if FIGURES > 3 else 300)
def test_the_planted_regions_come_back(people: Project, open_page: OpenPage) -> None:
    planted = planted_masks(DATA / "data")
    files = sorted(Path(DATA).glob("images/*/*/*"))
    images = {}
    # The tenth has no defect, the next ones have.
    for number, path in enumerate([*files[10:], *files[:10]][:FIGURES]):
        place = path.parts[-3], path.parts[-2].replace("_", " "), int(path.stem[-2:])
        images[figure(people, path, place, number)] = planted.get(place, [])
    assert any(images.values())
    assert not all(images.values())
    assert len(images) == FIGURES
    described(people, one="An error in the figure", two="A broken hand")
    pages = {code: open_page(code, viewport=SEEN) for code in (*MARKERS, *REVIEWERS, "lead")}

    batch = released(people, "defect-verdict", REVIEWERS)
    for page, assignment in opened(pages, batch):
        page.wait_for_function(
            "() => document.querySelector('.sheet') && !document.querySelector('[data-early]')"
        )
        press(page, "2" if images[assignment.image] else "1")
        wait_done(assignment)
    close(batch)

    batch = released(people, "defect-marks", MARKERS, batch, control=0)
    assert {each.image for each in batch.assignments.all()} == {image for image, own in images.items() if own}
    for page, assignment in opened(pages, batch):
        page.wait_for_function("() => document.querySelector('#picture img').complete")
        page.wait_for_timeout(100)
        for error in images[assignment.image]:
            press(page, "a")
            draw(page, assignment.image, error.mask)
            press(page, "t w")
            page.keyboard.insert_text(error.text)
            press(page, "Escape")
        page.get_by_role("button", name="Serious").click()
        press(page, "Ctrl+Enter")
        wait_done(assignment)
    close(batch)

    batch = released(people, "defect-check", REVIEWERS, batch)
    first = batch.assignments.order_by("pk")[0].image
    for page, assignment in opened(pages, batch):
        items = 2 * len(images[assignment.image])
        expect(page.locator("#counted")).to_have_text(f"0 of {2 * items} judged")
        press(page, "k " * items)
        if (assignment.annotator.code, assignment.image) == ("rev3", first):
            # One reviewer drops a description, which an expert has to decide.
            press(page, "ArrowUp t")
        expect(page.locator("#counted")).to_have_text(f"{2 * items} of {2 * items} judged")
        assert assignment.image != first or violations(page) == []
        with page.expect_navigation():
            press(page, "Control+Enter")
    lead = pages["lead"]
    lead.goto("/projects/stages/disagreements/?protocol=defect-check")
    assert violations(lead) == []
    lead.locator("fieldset.cell label", has_text="Keep").click()
    lead.locator("#reference").fill("An expert has described this figure. The effect is serious.")
    lead.get_by_role("button", name="Adjudicate").last.click()
    close(batch)
    for image, errors in images.items():
        found = checked_in(batch, image)
        assert (found is not None) == bool(errors)
        if found is not None:
            assert (iou(found.region, union([error.mask for error in errors])) or 0) >= 0.9, image.source_name
            assert found.source == ("expert" if image == first else "assembled")

    batch = released(people, "defect-quality", REVIEWERS, batch)
    for page, assignment in opened(pages, batch):
        expect(page.locator(".reference")).to_contain_text("effect")
        for vote in page.locator("section.thing fieldset").all():
            vote.locator("input[value='2']").check(force=True)
        assert assignment.image != first or violations(page) == []
        with page.expect_navigation():
            press(page, "Control+Enter")
    close(batch)


def opened(pages: dict[str, Page], batch: Batch) -> Iterator[tuple[Page, Assignment]]:
    """Everybody's images of a batch, each opened in their page."""
    for assignment in batch.assignments.select_related("annotator", "image").order_by("pk"):
        page = pages[assignment.annotator.code]
        open_label(page, assignment)
        yield page, assignment


def wait_done(assignment: Assignment) -> None:
    """Wait until the server has a submission."""
    until = time.monotonic() + 30
    while Assignment.objects.get(pk=assignment.pk).status != Assignment.Status.DONE:
        assert time.monotonic() < until, assignment.image.source_name
        time.sleep(0.05)
