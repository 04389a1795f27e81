"""Compare the time until the labelling page is usable with Label Studio, cold, in the same browser.

    LABEL_STUDIO=venv/bin/label-studio .venv/bin/python benchmarks/bench_label_studio.py [--rounds 7]

Label Studio is no dependency: install it in an environment of its own. Both run here, each opens one image
with the annotation's fields (25 text fields there), by turns, each time with an empty cache. "Usable" is the
moment at which the picture and every field are there. Needs Chromium on the PATH.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image as Picture
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bench_page import FLAGS, chromium, filled, free_port, running, sign_in, started
from scoring.grid.taxonomy import CELLS

NAME, PASSWORD = "bench@example.org", "only-for-this-run"
FIELDS = "".join(
    f'<TextArea name="cell{number}" toName="image" rows="1" maxSubmissions="1" placeholder="{cell.heading}"/>'
    for number, cell in enumerate(CELLS)
)
CONFIG = f'<View><Image name="image" value="$image"/>{FIELDS}</View>'
THEIRS_THERE = """() => document.querySelectorAll("input, textarea").length >= 25
  && [...document.images].some((image) => image.complete && image.naturalWidth === 768)"""
OURS_THERE = """() => document.querySelector("main[data-ready]")
  && document.querySelector("#picture img").complete"""


def main() -> None:
    """Start both, open them alternately, print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with (
        filled(4) as home,
        started() as ours,
        theirs_started(home) as theirs,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        print(json.dumps(compare(browser, (ours, theirs), options.rounds), indent=2))


@contextmanager
def theirs_started(home: Path) -> Iterator[str]:
    """Serve Label Studio with one account, on SQLite, while the block runs; yields its address."""
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    clean |= {"LABEL_STUDIO_BASE_DATA_DIR": str(home / "label-studio"), "COLLECT_ANALYTICS": "False"}
    clean |= {"SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": ""}
    account = ["--username", NAME, "--password", PASSWORD]
    port = free_port()
    command = [os.environ["LABEL_STUDIO"], "start", "--no-browser", "--port", str(port), *account]
    quietly = {"env": clean, "cwd": home, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with running(command, f"http://127.0.0.1:{port}/user/login/", seconds=600, **quietly):
        yield f"http://127.0.0.1:{port}"


def compare(browser: Browser, addresses: tuple[str, str], rounds: int) -> dict[str, Any]:
    """Return the medians of both, and their ratio."""
    ours = browser.new_context(base_url=addresses[0], service_workers="block")
    theirs = browser.new_context(base_url=addresses[1])
    our_address = sign_in(ours.new_page())
    their_address = their_task(theirs)
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(rounds + 1):
        times["ours"].append(opened(ours, our_address, OURS_THERE))
        times["theirs"].append(opened(theirs, their_address, THEIRS_THERE))
    # The first round warms both servers up.
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    return {
        "usable after ms, this page": round(medians["ours"]),
        "usable after ms, Label Studio": round(medians["theirs"]),
        "this page / Label Studio": round(medians["ours"] / medians["theirs"], 3),
        "allowed": 0.333,
    }


def their_task(context: BrowserContext) -> str:
    """Sign in, create a project with one image, and return its labelling address."""
    page = context.new_page()
    page.goto("/user/login/")
    page.fill("[name=email]", NAME)
    page.fill("[name=password]", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(lambda address: "login" not in address)
    token = next(each["value"] for each in context.cookies() if each["name"] == "csrftoken")
    headers = {"X-CSRFToken": token, "Referer": page.url}
    made = page.request.post(
        "/api/projects/", data={"title": "Bench", "label_config": CONFIG}, headers=headers
    )
    project = made.json()["id"]
    picture = io.BytesIO()
    Picture.effect_noise((768, 512), 60).convert("RGB").save(picture, "PNG")
    file: FilePayload = {"name": "picture.png", "mimeType": "image/png", "buffer": picture.getvalue()}
    page.request.post(f"/api/projects/{project}/import", multipart={"file": file}, headers=headers)
    tasks = page.request.get(f"/api/tasks?project={project}").json()
    page.close()
    return f"/projects/{project}/data?task={tasks['tasks'][0]['id']}"


def opened(context: BrowserContext, address: str, there: str) -> float:
    """Return the milliseconds until the page is usable, with an empty cache."""
    page: Page = context.new_page()
    page.set_default_timeout(60_000)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(there, polling="raf")
    seconds = time.perf_counter() - begun
    page.close()
    return seconds * 1000


if __name__ == "__main__":
    main()
