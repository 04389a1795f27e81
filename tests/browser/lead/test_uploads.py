"""A lead's way from a folder of images to a batch, in a real browser: brought, corrected, stored."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image as Picture
from playwright.sync_api import FileChooser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from annotator.images.display import make_display
from annotator.models import Event, Job, Project, Upload, UploadedFile
from annotator.work.jobs import run_job
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, every_look
from tests.browser.test_accessibility import violations
from tests.factories import ANNOTATOR, make_member, make_user

FOLDER = "Choose folder"
PATTERN = "Name pattern"
GO_ON = "Check file names"


pytestmark = pytest.mark.usefixtures("own_media")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve pictures: two generators, two prompts, three numbers."""
    root = tmp_path / "pictures"
    for generator in ("painter", "sculptor"):
        for prompt in ("two_people_dancing", "a_hand"):
            for number in range(1, 4):
                draw(root / generator / prompt / f"{number}.png", f"{generator}{prompt}{number}")
    return root


def draw(path: Path, seed: str, size: int = 24) -> None:
    """A small picture that no other seed makes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(seed.encode()).digest()
    Picture.frombytes("RGB", (2, 2), digest[:12]).resize((size, size)).save(path, "PNG")


def work() -> None:
    """What a worker does once it hears of the jobs."""
    for job in Job.objects.filter(status=Job.Status.QUEUED).order_by("pk"):
        assert run_job(job.pk)
        job.refresh_from_db()
        assert job.status == Job.Status.DONE, job.error


def bring(page: Page, folder: Path) -> None:
    page.get_by_label(FOLDER).set_input_files(folder)


def go_on(page: Page) -> None:
    """Have it read, and wait for what was understood."""
    with page.expect_navigation():
        page.get_by_role("button", name=GO_ON).last.click()
    work()
    expect(page.get_by_role("heading", name="Check file names")).to_be_visible()


def tabs(page: Page) -> list[str]:
    """The states and the numbers of their files."""
    links = page.get_by_role("navigation", name="States").get_by_role("link")
    return [" ".join(text.split()) for text in links.all_inner_texts()]


@pytest.mark.main_path
def test_from_a_new_project_to_a_batch(open_page: OpenPage, pilot: Project, folder: Path) -> None:
    page = open_page("lee")
    page.goto("/")
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill("Hands")
    page.get_by_role("button", name="Create project").click()
    project = Project.objects.get(name="Hands")
    make_member(project, ANNOTATOR, user=make_user("ann"), code="ann")
    shutil.copy(folder / "painter/a_hand/1.png", folder / "painter/a_hand/copy of 1.png")
    (folder / "painter/a_hand/broken.png").write_bytes(b"no picture")
    (folder / "painter/Thumbs.db").write_bytes(b"thumbs")
    bring(page, folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    expect(page.get_by_text("15 of 15 files")).to_be_visible()
    go_on(page)
    assert tabs(page) == ["All 15", "Ready 12", "Duplicate 1", "Rejected 1", "Ignored 1"]
    assert page.get_by_label(PATTERN).input_value() == "{generator}/{prompt}/{*}{number}"
    page.get_by_role("button", name="Store 12 images").click()
    expect(page.locator("#following strong")).to_contain_text(
        re.compile("Starting soon|Waiting for a worker")
    )
    work()
    expect(page.locator("[data-code=stored]")).to_contain_text("12")
    expect(page.locator("#following [data-part=words]")).to_have_text("Display copies: 0 of 12")
    for image in project.images.all():
        make_display(image.pk)
    expect(page.locator("[data-code=all-shown]")).to_be_visible()
    page.locator(".next-steps").get_by_role("link", name="Prompt groups").click()
    page.get_by_role("group", name="Group of two people dancing").get_by_label("pair", exact=True).check()
    hand = page.get_by_role("group", name="Group of a hand")
    hand.get_by_label("other", exact=True).check()
    hand.get_by_label("Other group of a hand").fill("parts")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-code=all-grouped]")).to_be_visible()
    found = project.images.order_by("generator", "prompt", "number")
    assert list(found.values_list("generator", "prompt", "prompt_group", "number"))[:4] == [
        ("painter", "a hand", "parts", 1),
        ("painter", "a hand", "parts", 2),
        ("painter", "a hand", "parts", 3),
        ("painter", "two people dancing", "pair", 1),
    ]
    page.get_by_role("main").get_by_role("link", name="New batch").click()
    expect(page.locator("#count")).to_have_text("12 images")


def read_upload(page: Page, folder: Path) -> Upload:
    """Bring a folder into the pilot and have it read."""
    page.goto("/projects/pilot/uploads/")
    bring(page, folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    go_on(page)
    return Upload.objects.get()


def shown(page: Page) -> list[list[str]]:
    """Generator, prompt, group and number of the rows."""
    rows = page.locator(".files tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()[:4]] for row in rows]


def test_a_pattern_is_tried_while_it_is_typed_and_used_when_the_lead_says_so(
    open_page: OpenPage, pilot: Project, folder: Path
) -> None:
    page = open_page("lee")
    upload = read_upload(page, folder)
    assert shown(page)[0] == ["painter", "a hand", "–", "1"]
    page.get_by_label(PATTERN).fill("{prompt}/{generator}/{number}")
    expect(page.locator("#said[data-code=reads-all]")).to_contain_text("12")
    assert shown(page)[0] == ["a_hand", "painter", "–", "1"]
    page.get_by_label(PATTERN).fill("{generator}/{prompt}/x{number}")
    expect(page.locator("#said[data-code=reads]")).to_have_text("Matches 0 of 12 names. Not applied yet.")
    expect(page.locator(".files .tag.warn")).to_have_count(12)
    page.get_by_label(PATTERN).fill("{generator}/{prompt")
    expect(page.locator("#said[data-code=brace]")).to_contain_text("“{prompt”")
    page.get_by_label(PATTERN).fill("{number}")
    page.locator("[data-code=defaults]").click()
    page.get_by_label("Generator", exact=True).fill("painter")
    page.get_by_label("Prompt", exact=True).fill("a hand")
    expect(page.locator("#said[data-code=reads-all]")).to_contain_text("12")
    upload.refresh_from_db()
    assert upload.pattern == "{generator}/{prompt}/{number}"
    page.get_by_role("button", name="Apply pattern").click()
    expect(page.locator("#following[data-step=working]")).to_be_visible()
    work()
    expect(page.get_by_role("heading", name="0 images can be stored")).to_be_visible()
    assert tabs(page) == ["All 12", "Unclear 12"]
    assert "share the number painter · a hand · 1" in page.locator(".files").inner_text()
    assert Event.objects.filter(verb="upload_pattern_set").count() == 1


def test_a_row_and_a_whole_folder_are_corrected_where_they_stand(
    open_page: OpenPage, pilot: Project, folder: Path
) -> None:
    page = open_page("lee")
    read_upload(page, folder)
    page.get_by_role("link", name="Edit pictures/painter/a_hand/2.png").click()
    expect(page.get_by_label("Prompt", exact=True).last).to_have_value("a hand")
    row = page.get_by_role("form", name="pictures/painter/a_hand/2.png")
    expect(row.get_by_label("Generator")).to_be_focused()
    row.get_by_label("Number").fill("x")
    row.get_by_role("button", name="Save change").click()
    expect(row.locator("[data-code=invalid]")).to_be_visible()
    assert violations(page) == []
    row.get_by_label("Number").fill("1")
    row.get_by_role("button", name="Save change").click()
    expect(page.get_by_text("share the number painter · a hand · 1")).to_have_count(1)
    expect(page.get_by_role("link", name="Edit pictures/painter/a_hand/2.png")).to_be_focused()
    page.get_by_role("link", name="Edit pictures/painter/a_hand/2.png").press("Enter")
    row.get_by_label("Number").fill("20")
    row.get_by_label("Number").press("Enter")
    expect(page.locator(".files .tag.warn")).to_have_count(0)
    page.get_by_role("link", name="Edit pictures/sculptor/a_hand/1.png").click()
    row = page.get_by_role("form", name="pictures/sculptor/a_hand/1.png")
    row.get_by_label("Generator").fill("Sculptor 2")
    row.get_by_label("Apply to").select_option("All of pictures/sculptor/")
    row.get_by_role("button", name="Save change").click()
    expect(page.locator(".files td", has_text="Sculptor 2")).to_have_count(6)
    files = UploadedFile.objects.filter(generator="Sculptor 2").order_by("name")
    assert [(each.prompt, each.number) for each in files][2:4] == [("a hand", 3), ("two people dancing", 1)]
    assert Event.objects.filter(verb="upload_edited").count() == 3


def test_a_manifest_brought_later_overrules_the_names(
    open_page: OpenPage, pilot: Project, folder: Path, tmp_path: Path
) -> None:
    page = open_page("lee")
    read_upload(page, folder)
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(
        "file,generator,prompt,number,mood\npictures/painter/a_hand/1.png,Painter 9,a fist,7,calm\n"
    )
    page.get_by_label("Choose files").set_input_files(manifest)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    go_on(page)
    assert tabs(page) == ["All 13", "Ready 12", "Manifest 1"]
    assert shown(page)[1] == ["Painter 9", "a fist", "–", "7"]
    page.get_by_role("button", name="Store 12 images").click()
    expect(page.locator("#following[data-step=working]")).to_be_visible()
    work()
    expect(page.locator("[data-code=stored]")).to_contain_text("12")
    image = pilot.images.get(generator="Painter 9")
    assert (image.prompt, image.number, image.attributes) == ("a fist", 7, {"mood": "calm"})


def test_without_script_files_are_sent_by_a_form(open_page: OpenPage, pilot: Project, folder: Path) -> None:
    page = open_page("lee", java_script_enabled=False)
    page.goto("/projects/pilot/uploads/")
    assert not page.get_by_label(FOLDER).is_visible()
    page.get_by_role("button", name="Upload files").click()
    expect(page.locator("[data-code=no-files]")).to_be_visible()
    files = sorted((folder / "painter" / "a_hand").iterdir())
    page.get_by_label("Files (at most 100) or a zip").set_input_files([str(each) for each in files])
    page.get_by_role("button", name="Upload files").click()
    expect(page.get_by_role("heading", name="3 files uploaded")).to_be_visible()
    page.get_by_role("button", name=GO_ON).click()
    work()
    page.reload()
    assert tabs(page) == ["All 3", "Unclear 3"]
    page.locator("[data-code=defaults]").click()
    page.get_by_label(PATTERN).fill("{number}")
    page.get_by_label("Generator", exact=True).fill("painter")
    page.get_by_label("Prompt", exact=True).fill("a hand")
    page.get_by_role("button", name="Apply pattern").click()
    work()
    page.reload()
    page.get_by_role("link", name="Edit 2.png").click()
    page.locator("tr.edited").get_by_label("Number").fill("5")
    page.locator("tr.edited").get_by_role("button", name="Save change").click()
    assert [row[3] for row in shown(page)] == ["1", "5", "3"]
    page.get_by_role("button", name="Store 3 images").click()
    work()
    page.reload()
    expect(page.get_by_text("3 images stored.")).to_be_visible()
    assert list(pilot.images.order_by("number").values_list("number", flat=True)) == [1, 3, 5]


def test_all_of_it_by_keyboard(open_page: OpenPage, pilot: Project, folder: Path) -> None:
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    chooser_by_key(page).set_files(folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    press(page, "button", GO_ON)
    expect(page.locator("#following[data-step=working]")).to_be_visible()
    work()
    expect(page.get_by_role("heading", name="Check file names")).to_be_visible()
    press(page, "link", "Edit pictures/painter/a_hand/1.png")
    expect(
        page.get_by_role("form", name="pictures/painter/a_hand/1.png").get_by_label("Generator")
    ).to_be_focused()
    page.keyboard.type("a new ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Edit pictures/painter/a_hand/1.png")).to_be_focused()
    press(page, "button", "Store 12 images")
    expect(page.locator("#following[data-step=working]")).to_be_visible()
    work()
    expect(page.locator("[data-code=stored]")).to_contain_text("12")
    # The page opens again once the display copies stand.
    expect(page.locator("#following")).to_have_count(0)
    press(page, "link", "Edit prompt groups")
    page.get_by_role("group", name="Group of a hand").get_by_label("none").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("[data-code=saved]")).to_contain_text("1")
    assert set(pilot.images.filter(prompt="a hand").values_list("prompt_group", flat=True)) == {"pair"}


def chooser_by_key(page: Page) -> FileChooser:
    """Open the choice of a folder with a key.

    A browser without a screen, on a busy machine, now and then shows none: then the key is pressed again.
    """
    for patience in (5_000, 10_000, 20_000):
        try:
            with page.expect_file_chooser(timeout=patience) as opened:
                page.get_by_label(FOLDER).press("Enter")
            return opened.value
        except PlaywrightTimeout:
            continue
    raise AssertionError("Enter opens no choice of a folder")


def press(page: Page, role: str, name: str) -> None:
    """Reach something by Tab alone, and press it."""
    wanted = page.get_by_role(role, name=name, exact=True).last  # type: ignore[arg-type]
    expect(wanted).to_be_visible()
    for _ in range(120):
        page.keyboard.press("Tab")
        if wanted.evaluate("each => each === document.activeElement"):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab does not reach {name}")


@every_look
def test_no_page_violates_anything(
    open_page: OpenPage, pilot: Project, folder: Path, size: str, scheme: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", viewport={"width": width, "height": height}, color_scheme=scheme)
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        found[name] = violations(page)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            found[name].append("wider than the window")

    for address in (
        "/",
        "/projects/new/",
        "/projects/pilot/",
        "/projects/pilot/images/",
        "/projects/pilot/prompts/",
    ):
        page.goto(address)
        look(address)
    (folder / "painter/a_hand/1.png").write_bytes((folder / "painter/a_hand/2.png").read_bytes())
    (folder / "painter/a_hand/broken.png").write_bytes(b"no picture")
    draw(folder / "lost.png", "lost")
    page.goto("/projects/pilot/uploads/")
    look("empty")
    bring(page, folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    look("sent")
    page.reload()
    page.locator("[data-code=discard]").click()
    look("received")
    page.get_by_role("button", name=GO_ON).first.click()
    page.locator("#following").wait_for()
    look("waiting")
    work()
    expect(page.get_by_role("heading", name="Check file names")).to_be_visible()
    page.locator("[data-code=defaults]").click()
    page.locator("[data-code=guesses]").click()
    look("ready")
    page.get_by_role("link", name="Edit pictures/painter/a_hand/3.png").click()
    page.locator("tr.edited").wait_for()
    look("edited")
    page.get_by_role("button", name="Store 11 images").click()
    page.locator("#following").wait_for()
    work()
    expect(page.get_by_role("heading", name="0 images can be stored")).to_be_visible()
    look("stored in part")
    page.goto("/projects/pilot/prompts/")
    look("prompts")
    page.goto("/projects/pilot/uploads/")
    look("begun before")
    assert {name: rules for name, rules in found.items() if rules} == {}
