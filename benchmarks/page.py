"""How heavy and how quick is the annotation page in Chromium?

    .venv/bin/python -m benchmarks.page [--images 200]

Served by gunicorn with collected static files from SQLite, to one annotator. The weight is what the network
carries of the first visit, images apart. *Key to paint* ends at the second frame after the key; *next image*
ends once the next image is decoded. Needs Chromium on the PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.synthetic import ROOT, add_images, apart, home
from tests.config.deploy.process_set import free_port
from tests.support.browsers import chromium

FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--js-flags=--expose-gc")
LIMITS: Final = {"KB on the wire": 80, "requests": 10, "key to paint ms p95": 50, "next image ms p50": 200}
PAINTED: Final = """key => new Promise(done => {
  const begun = performance.now();
  document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
})"""
NEXT: Final = """before => {
  const image = document.querySelector("#picture img");
  return location.href !== before && image.complete && image.decode().then(() => true);
}"""


def main() -> None:
    """Fill, serve, measure, print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=200)
    options = parser.parse_args()
    with home() as folder:
        start = apart(folder, "page.fill", options.images + 20)
        with serving(folder) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            # Without the service worker, which fetches its four files last.
            page = browser.new_page(base_url=address, service_workers="block")
            page.context.add_cookies([{"url": address, "name": start["name"], "value": start["value"]}])
            figures = weigh(page, start["page"])
            figures |= key_to_paint(page) | walk(page, options.images)
            print(json.dumps({**figures, "limits": LIMITS}, indent=2))


def fill(images: int) -> dict[str, Any]:
    """Assign images with files of their own, and without faces, to one annotator.

    Returns the address of the annotator's first page and the cookie of their session.
    """
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse
    from PIL import Image as Picture

    from annotator.batches.assignments import create_batch
    from annotator.models import Project
    from tests.factories import decide_faces, make_assignment, make_member

    project = Project.objects.create(slug="bench", name="Bench")
    member = make_member(project)
    add_images(project, images, display_state="ready")
    queue = list(project.images.order_by("pk"))
    decide_faces(queue)
    batch = create_batch(project=project, name="Bench", protocol="anatomy")
    media = Path(settings.MEDIA_ROOT)
    media.mkdir()
    for place, image in enumerate(queue, 1):
        image.file = image.display = f"{image.pk}.webp"
        Picture.effect_noise((768, 512), 20 + place % 80).convert("RGB").save(media / f"{image.pk}.webp")
        image.save()
        make_assignment(member, image=image, batch=batch, position=place)
    browser = Client()
    assert member.user is not None
    browser.force_login(member.user)
    name = settings.SESSION_COOKIE_NAME
    first = batch.assignments.order_by("position")[0]
    address = reverse("label", args=[first.pk])
    return {"page": address, "name": name, "value": browser.cookies[name].value}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the app of a folder as the demo does; yields its address once it responds."""
    env = {**os.environ, "VAR_DIR": str(folder), "MEDIA_ROOT": str(folder / "media"), "STATIC_COLLECTED": "1"}
    env = {name: value for name, value in env.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(collect, cwd=ROOT, env=env, check=True)
    address = f"127.0.0.1:{free_port()}"
    options = ["--workers", "1", "--worker-class", "gthread", "--threads", "8", "--log-level", "error"]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", address, *options]
    server = subprocess.Popen(command, cwd=ROOT, env=env)
    try:
        ready = ["curl", "--silent", "--retry", "60", "--retry-connrefused", "--retry-delay", "1", address]
        subprocess.run(ready, check=True, stdout=subprocess.DEVNULL)
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait(60)


def weigh(page: Page, address: str) -> dict[str, Any]:
    """Return the network cost of the first visit, without images, and the time until usable."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    kinds: dict[str, str] = {}
    sizes: dict[str, float] = {}
    session.on("Network.responseReceived", lambda event: kinds.update({event["requestId"]: event["type"]}))
    ended = "Network.loadingFinished"
    session.on(ended, lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    page.goto(address)
    page.wait_for_selector("main[data-ready]")
    usable = page.evaluate("() => performance.now()")
    page.wait_for_load_state("networkidle")
    counted = [size for key, size in sizes.items() if kinds.get(key) != "Image"]
    kilobytes = round(sum(counted) / 1000, 1)
    return {"KB on the wire": kilobytes, "requests": len(counted), "usable after ms": round(usable)}


def key_to_paint(page: Page) -> dict[str, float]:
    """Return the milliseconds from a key to the frame that shows it."""
    page.keyboard.press("2")
    page.keyboard.press("m")
    return _spread("key to paint", [page.evaluate(PAINTED, key) for key in "tlfhexgopm" * 6])


def walk(page: Page, images: int) -> dict[str, float]:
    """Submit image after image; return the time to the next image, and how much the heap grows."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    times, heap = [], []
    for number in range(images):
        if number in {images // 10, images - 1}:
            session.send("HeapProfiler.collectGarbage")
            metrics = session.send("Performance.getMetrics")["metrics"]
            heap += [metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize"]
        before = page.url
        for key in ("w", "2", "m", "l", "c"):
            page.keyboard.press(key)
        begun = time.perf_counter()
        page.keyboard.press("Control+Enter")
        page.wait_for_function(NEXT, arg=before)
        times.append((time.perf_counter() - begun) * 1000)
    return {**_spread("next image", times), "heap ratio": round(heap[-1] / heap[0], 3)}


def _spread(name: str, times: list[float]) -> dict[str, float]:
    parts = quantiles(times, n=20)
    return {f"{name} ms p50": round(parts[9], 1), f"{name} ms p95": round(parts[18], 1)}


if __name__ == "__main__":
    main()
