"""Measure the labelling page in Chromium: size, time from key to paint, time to the next image, heap.

    .venv/bin/python benchmarks/bench_page.py [--images 200] [--protocol realism]

Real gunicorn with the collected static files, one annotator, SQLite. Weight is what the network carries
of the first visit, pictures apart. Key to paint ends at the second animation frame after the key. Under
realism, where one key rates an image, key to next image ends once that image is decoded and a frame later.
Needs Chromium on the PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image as Picture
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PASSWORD = "only-for-this-run"
LIMITS = {
    "KB on the wire": 120,
    "requests": 12,
    "key to paint ms p95": 50,
    "submit to next picture ms p50": 200,
}
LIMITS_REALISM = {"KB without the typeface": 60, "key to next image ms p95": 100}
SEEN_MS = 300
"""Longer than a new image takes no answers."""
RATED = """key => new Promise(done => {
  const before = location.href;
  const begun = performance.now();
  document.body.dispatchEvent(
    new KeyboardEvent("keydown", {key, code: `Digit${key}`, bubbles: true, cancelable: true}));
  const look = () => {
    const image = document.querySelector("#picture img");
    if (location.href === before || !image.complete) return requestAnimationFrame(look);
    image.decode().then(() => requestAnimationFrame(() => done(performance.now() - begun)));
  };
  requestAnimationFrame(look);
})"""
PAINTED = """key => new Promise(done => {
  const begun = performance.now();
  const active = document.activeElement;
  active.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
})"""


def main() -> None:
    """Fill, serve, measure, print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--protocol", choices=["anatomy", "realism"], default="anatomy")
    options = parser.parse_args()
    work = measure_rating if options.protocol == "realism" else measure
    with filled(options.images + 20, options.protocol):
        print(json.dumps(serve(lambda page: work(page, options.images)), indent=2))


@contextmanager
def filled(images: int, protocol: str = "anatomy") -> Iterator[Path]:
    """Assign so many images to one annotator, in a home folder of its own, while the block runs."""
    home = Path(tempfile.mkdtemp(prefix="anatomark-bench-"))
    os.environ |= {"VAR_DIR": str(home), "MEDIA_ROOT": str(home / "media"), "STATIC_COLLECTED": "1"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    try:
        fill(images, protocol)
        give_pictures(home / "media")
        collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
        subprocess.run(collect, cwd=ROOT, check=True)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def fill(images: int, protocol: str) -> None:
    """Create one project whose images, without faces, are all assigned to one annotator."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotator.batches.assignments import create_batch
    from annotator.faces.decisions import decide_from_file
    from annotator.models import Assignment, Image, Membership, Project, User

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user("annotator", password=PASSWORD)
    member = Membership.objects.create(project=project, user=user, role="annotator", code="annotator")
    Image.objects.bulk_create(
        Image(
            project=project,
            file=f"{number}.png",
            sha256=f"{number:064x}",
            source_name=f"{number}.png",
            format="PNG",
            width=768,
            height=512,
            generator=f"generator {number % 3}",
            prompt=f"prompt {number % 10}",
            number=number,
            display_state="ready",
        )
        for number in range(images)
    )
    queue = list(project.images.order_by("pk").values_list("pk", flat=True))
    faces: dict[int, list[list[float]]] = {pk: [] for pk in queue}
    decide_from_file(project=project, faces=faces, actor=None, facts={"file": "bench.csv"})
    batch = create_batch(project=project, name="Bench", protocol=protocol)
    Assignment.objects.bulk_create(
        Assignment(batch=batch, image_id=pk, annotator=member, position=place)
        for place, pk in enumerate(queue, 1)
    )


def give_pictures(media: Path) -> None:
    """Give every image a display copy of its own."""
    from annotator.models import Image

    (media / "display").mkdir(parents=True)
    for number, pk in enumerate(Image.objects.values_list("pk", flat=True)):
        name = f"display/{pk}.webp"
        shade = (number * 7 % 255, number * 13 % 255, number * 29 % 255)
        Picture.effect_noise((768, 512), 60).convert("RGB").point(lambda v, s=shade: (v + s[0]) // 2).save(
            media / name, quality=60
        )
        Image.objects.filter(pk=pk).update(display=name)


@contextmanager
def started() -> Iterator[str]:
    """Serve the app as the demo does, while the block runs; yields its address."""
    options = ["--workers", "1", "--worker-class", "gthread", "--threads", "8", "--log-level", "error"]
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", *options]
    with running(command, f"http://127.0.0.1:{port}/accounts/login/", cwd=ROOT):
        yield f"http://127.0.0.1:{port}"


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], address: str, seconds: float = 120, **more: Any) -> Iterator[None]:
    """Keep a server running while the block runs, which begins once the address responds."""
    server = subprocess.Popen(command, **more)
    try:
        wait(address, seconds)
        yield
    finally:
        server.terminate()
        server.wait(60)


def serve(work: Callable[[Page], dict[str, Any]]) -> dict[str, Any]:
    """Start server and browser; return the figures of `work` in a new page."""
    with started() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=[*FLAGS, "--js-flags=--expose-gc"]
        )
        # Without the service worker, which fetches its four files last.
        return work(browser.new_page(base_url=address, service_workers="block"))


def chromium() -> str:
    """Return the browser's program."""
    return shutil.which("chromium") or sys.exit("Chromium was not found on the PATH.")


def wait(address: str, seconds: float) -> None:
    """Return once the server answers."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def measure(page: Page, images: int) -> dict[str, Any]:
    """Visit, press keys, submit repeatedly."""
    address = sign_in(page)
    figures: dict[str, Any] = weigh(page, address)
    figures |= keys(page)
    figures |= walk(page, images)
    return {**figures, "allowed": LIMITS}


def measure_rating(page: Page, images: int) -> dict[str, Any]:
    """Visit, and rate image after image by one key each."""
    figures: dict[str, Any] = weigh(page, sign_in(page))
    times = []
    for place in range(images):
        page.wait_for_timeout(SEEN_MS)
        times.append(page.evaluate(RATED, str(place % 10)))
    ordered = sorted(times)
    figures |= {
        "key to next image ms p50": round(statistics.median(ordered), 1),
        "key to next image ms p95": round(ordered[int(len(ordered) * 0.95)], 1),
    }
    return {**figures, "allowed": LIMITS_REALISM}


def sign_in(page: Page) -> str:
    """Sign in as the annotator and return the address of their next image."""
    page.goto("/accounts/login/")
    page.fill("[name=username]", "annotator")
    page.fill("[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.wait_for_load_state()
    return page.get_attribute("a[href^='/assignments/']", "href") or ""


def weigh(page: Page, address: str) -> dict[str, Any]:
    """Return the network cost of the first visit, without images."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    kinds: dict[str, str] = {}
    sizes: dict[str, float] = {}
    session.on("Network.responseReceived", lambda event: kinds.update({event["requestId"]: event["type"]}))
    session.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(address)
    page.wait_for_selector("main[data-ready]")
    usable = page.evaluate("() => performance.now()")
    page.wait_for_load_state("networkidle")
    counted = [size for key, size in sizes.items() if kinds.get(key) != "Image"]
    # Every page of the site uses it, so that of signing in has loaded it.
    typeface = sum(size for key, size in sizes.items() if kinds.get(key) == "Font")
    return {
        "KB on the wire": round(sum(counted) / 1000, 1),
        "KB without the typeface": round((sum(counted) - typeface) / 1000, 1),
        "requests": len(counted),
        "usable after ms": round(usable),
    }


def keys(page: Page) -> dict[str, float]:
    """Return the milliseconds from a key to the frame that shows it."""
    page.keyboard.press("2")
    page.keyboard.press("m")
    times = [page.evaluate(PAINTED, key) for key in "tlfheXGOPM".lower() * 6]
    ordered = sorted(times)
    return {
        "key to paint ms p50": round(statistics.median(ordered), 1),
        "key to paint ms p95": round(ordered[int(len(ordered) * 0.95)], 1),
    }


def walk(page: Page, images: int) -> dict[str, float]:
    """Submit image after image; return the time to the next image, and the heap before and after."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    times, heap = [], {}
    for number in range(images):
        before = page.url
        if number in {20, images - 1}:
            session.send("HeapProfiler.collectGarbage")
            metrics = session.send("Performance.getMetrics")["metrics"]
            heap[number] = next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize")
        page.keyboard.press("w")
        page.keyboard.press("2")
        for key in ("m", "l", "c"):
            page.keyboard.press(key)
        begun = time.perf_counter()
        page.keyboard.press("Control+Enter")
        page.wait_for_function(
            "before => location.href !== before && document.querySelector('#picture img').complete",
            arg=before,
        )
        times.append((time.perf_counter() - begun) * 1000)
    first, last = heap[20], heap[images - 1]
    return {
        "submit to next picture ms p50": round(statistics.median(times), 1),
        "heap after 20 images MB": round(first / 1e6, 2),
        f"heap after {images} images MB": round(last / 1e6, 2),
        "heap ratio": round(last / first, 3),
    }


if __name__ == "__main__":
    main()
