"""Take the screenshots of the documentation from the real app: `make screenshots` (needs Chromium).

Run the demo in a temporary folder, sign in as annotator and as lead, and write docs/img/*.png. Names of
screenshots (`python -m tools.screenshots people progress`) restrict it to their groups.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.browsers import chromium

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "img"
PORT = int(os.environ.get("PORT", "8765"))
SIZE = {"width": 1280, "height": 720}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
READY_SECONDS = 300
REPORT_SECONDS = 300
# Four people: a short leg, a thick arm, a small foot, a finger missing, and toes melted together.
IMAGE = "model-c_group_of_four_standing_04.webp"
ANSWER = "4 p l c p l a p f a m h a g f a"


def main() -> None:
    """Start the demo, take every screenshot, stop the demo."""
    path = chromium()
    if path is None:
        sys.exit("Chromium was not found on the PATH.")
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        demo = start_demo(Path(home))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
                passwords = json.loads((Path(home) / "var" / "demo-accounts.json").read_text())
                assignment = assignment_of(Path(home) / "var" / "db.sqlite3")
                wait_for_reports(browser, passwords)
                take_all(browser, passwords, assignment, ROOT / "annotator/demo/data")
                browser.close()
        finally:
            demo.terminate()
            demo.wait(30)


def start_demo(home: Path) -> subprocess.Popen[bytes]:
    """Start `manage.py demo` and wait until it is ready."""
    environment = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
    environment |= {"VAR_DIR": str(home / "var"), "MEDIA_ROOT": str(home / "media"), "PORT": str(PORT)}
    output = home / "demo.txt"
    with output.open("wb") as out:
        demo = subprocess.Popen([sys.executable, "manage.py", "demo"], cwd=ROOT, env=environment, stdout=out)
    deadline = time.monotonic() + READY_SECONDS
    while "Anatomark is ready" not in output.read_text():
        if demo.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"The demo did not start:\n{output.read_text()}")
        time.sleep(0.2)
    return demo


def assignment_of(database: Path) -> int:
    """Return annotator1's open assignment of the image whose planted errors are in ANSWER."""
    query = (
        "select assignment.id from annotator_assignment assignment"
        " join annotator_image image on image.id = assignment.image_id"
        " join annotator_membership member on member.id = assignment.annotator_id"
        " where member.code = 'annotator1' and assignment.status = 'open' and image.source_name like ?"
    )
    with sqlite3.connect(database) as connection:
        return int(connection.execute(query, (f"%{IMAGE}",)).fetchone()[0])


def take_all(browser: Browser, passwords: dict[str, str], assignment: int, study: Path) -> None:
    """Take the requested screenshots."""
    groups: dict[tuple[str, ...], Callable[[], None]] = {
        ("labelling",): lambda: take_labelling(browser, passwords, assignment),
        ("overview", "comparison"): lambda: take_results(browser, passwords),
        ("disagreements", "adjudication"): lambda: take_adjudication(browser, passwords),
        ("people", "plan", "progress"): lambda: take_batches(browser, passwords),
        ("steps", "add-images", "understood", "prompts"): lambda: take_images(browser, passwords, study),
    }
    wanted = set(sys.argv[1:]) or {name for names in groups for name in names}
    for names, take in groups.items():
        if wanted & set(names):
            take()


def wait_for_reports(browser: Browser, passwords: dict[str, str]) -> None:
    """Wait until a worker has computed the demo's reports; stop with its state after REPORT_SECONDS."""
    page = signed_in(browser, "lead", passwords)
    deadline = time.monotonic() + REPORT_SECONDS
    for kind in ("agreement", "comparison", "quality"):
        page.goto(f"/projects/demo/reports/{kind}/")
        while page.locator("[data-code=no-numbers]").count():
            if time.monotonic() > deadline:
                sys.exit(f"No {kind} report after {REPORT_SECONDS} s: {page.inner_text('main')}")
            page.wait_for_timeout(2000)
            page.reload()
    page.context.close()


def take_labelling(browser: Browser, passwords: dict[str, str], assignment: int) -> None:
    """Take the annotation page."""
    page = signed_in(browser, "annotator1", passwords)
    page.goto(f"/assignments/{assignment}/")
    page.wait_for_selector(".sheet [role=group], [role=group]:visible")
    for key in ANSWER.split():
        page.keyboard.press(key)
    page.wait_for_timeout(1500)
    save(page, "labelling")


def take_results(browser: Browser, passwords: dict[str, str]) -> None:
    """Take the overview and the comparison."""
    page = signed_in(browser, "lead", passwords)
    page.goto("/projects/demo/")
    save(page, "overview")
    page.goto("/projects/demo/reports/comparison/")
    page.wait_for_selector("h1", timeout=60_000)
    page.wait_for_load_state("networkidle")
    save(page, "comparison")


def take_adjudication(browser: Browser, passwords: dict[str, str]) -> None:
    """Take the largest disagreements, and the first of them during its adjudication."""
    page = signed_in(browser, "lead", passwords)
    page.goto("/projects/demo/disagreements/")
    page.wait_for_load_state("networkidle")
    save(page, "disagreements")
    page.get_by_role("link", name="Adjudicate number 1", exact=True).click()
    page.wait_for_load_state("networkidle")
    for group in page.locator("fieldset.cell").all():
        group.get_by_role("radio").first.check()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    save(page, "adjudication")


def take_batches(browser: Browser, passwords: dict[str, str]) -> None:
    """Take people, the plan of a new batch before its release, and the progress of the first."""
    page = signed_in(browser, "lead", passwords)
    page.goto("/projects/demo/people/")
    save(page, "people")
    page.goto("/projects/demo/batches/new/")
    page.locator("[name=which][value=all]").check()
    page.fill("[name=name]", "Second look")
    page.locator("details.options > summary").click()
    page.fill("[name=seed]", "7")
    if page.locator("[name=top_up]").count():
        page.locator("[name=top_up]").uncheck()
    page.get_by_role("button", name="Preview").last.click()
    page.wait_for_selector("#balance")
    save(page, "plan")
    label_some(signed_in(browser, "annotator1", passwords))
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.goto("/projects/demo/batches/")
    page.get_by_role("link", name="Batch 1", exact=True).click()
    page.get_by_role("link", name="Progress", exact=True).click()
    page.wait_for_selector(".matrix")
    save(page, "progress")


def take_images(browser: Browser, passwords: dict[str, str], study: Path) -> None:
    """Upload the demo's images into a new project: take the upload, the checked names, the prompt groups."""
    page = signed_in(browser, "lead", passwords)
    page.goto("/projects/new/")
    page.fill("[name=name]", "Second study")
    page.get_by_role("button", name="Create project").click()
    page.wait_for_load_state("networkidle")
    save(page, "steps")
    page.get_by_label("Choose folder").set_input_files(study / "images")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(1000)
    save(page, "add-images")
    page.get_by_role("button", name="Resume").click()
    page.locator("#sending-state [data-code=done]").wait_for(timeout=120_000)
    page.get_by_role("button", name="Check names").last.click()
    page.locator("h1[data-code=ready]").wait_for(timeout=READY_SECONDS * 1000)
    save(page, "understood")
    page.get_by_role("button", name="Store ").click()
    page.get_by_role("heading", name="images stored").wait_for(timeout=READY_SECONDS * 1000)
    page.get_by_role("main").get_by_role("link", name="Prompt groups").first.click()
    page.wait_for_selector(".prompts")
    save(page, "prompts")


def label_some(page: Page) -> None:
    """Submit five images, flag the fourth, and start a sixth."""
    page.goto("/projects/demo/queue/")
    page.get_by_role("link", name="Start").or_(page.get_by_role("link", name="Continue")).first.click()
    for number in range(1, 7):
        page.wait_for_selector(".sheet [role=group], [role=group]:visible")
        page.wait_for_timeout(2000)
        for key in ("1", "m", "h", "b") if number % 2 else ("1", "p", "f", "a"):
            page.keyboard.press(key)
        if number == 4:
            page.keyboard.press("s")
            page.keyboard.press("5")
            page.get_by_role("button", name="Flag and keep").click()
        page.wait_for_timeout(1500)
        if number < 6:
            page.keyboard.press("Control+Enter")


def signed_in(browser: Browser, username: str, passwords: dict[str, str]) -> Page:
    """Sign in and return the page."""
    page = browser.new_context(viewport=SIZE, base_url=f"http://127.0.0.1:{PORT}").new_page()  # type: ignore[arg-type]
    page.goto("/accounts/login/")
    page.fill("[name=username]", username)
    page.fill("[name=password]", passwords[username])
    page.click("main button[type=submit]")
    page.wait_for_load_state()
    return page


def save(page: Page, name: str) -> None:
    """Write one screenshot."""
    Image.open(BytesIO(page.screenshot())).convert("RGB").save(TARGET / f"{name}.png", optimize=True)
    print(f"docs/img/{name}.png")


if __name__ == "__main__":
    main()
