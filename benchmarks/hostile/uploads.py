"""Archives and images sent as uploads, then read, stored and drawn by a worker's code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from annotator.images import drawing
from benchmarks.hostile import archives, pictures

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PER_UPLOAD: Final = 40
NEAR: Final = 10
"""Allowed difference of a colour, out of 255: display copies are WebP of quality 82."""
UNFORESEEN: Final = "It ended in an error"


def measured(seed: int, counts: dict[str, int]) -> dict[str, Any]:
    """Generate and process each corpus in separate processes; return the findings."""
    found = {}
    for corpus, count in counts.items():
        with tempfile.NamedTemporaryFile() as made:
            command = [sys.executable, "-m", "benchmarks.hostile", "--corpus", made.name, "--seed", str(seed)]
            maker = [*command, "--make", corpus, "--count", str(count)]
            subprocess.run(maker, check=True, cwd=ROOT)
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        lines = done.stdout.strip().splitlines()
        found[corpus] = json.loads(lines[-1]) if done.returncode == 0 and lines else {"files": count}
        found[corpus]["worker deaths"] = int(done.returncode != 0)
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
    return found


def make(corpus: str, seed: int, count: int, into: Path) -> None:
    """Write a corpus to a file, so that the worker's memory excludes its generation."""
    chance = random.Random(seed)
    if corpus == "archives":
        samples = [pictures.Sample(name, contents) for name, contents in archives.made(chance, count)]
    elif corpus == "pictures":
        half = count // 2
        samples = [*pictures.valid(chance, half), *pictures.broken(chance, count - half)]
    else:
        samples = pictures.largest()
    into.write_bytes(pickle.dumps((corpus, samples)))


def go_through(made: Path, home: Path) -> dict[str, Any]:
    """In the worker's process: send a corpus, read, store and draw it, and check the result."""
    corpus, samples = pickle.loads(made.read_bytes())
    found = through_archives(samples) if corpus == "archives" else through_pictures(samples)
    drawing.close_idle()  # so that their memory is counted
    return {
        **found,
        "files outside": len(outside(home)),
        "worker MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "decoder MB": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
    }


def outside(home: Path) -> list[str]:
    """Return files that escaped to an entry's target, and unexpected files of the home."""
    places = [
        Path("/"),
        Path("/tmp"),
        Path.home(),
        Path.cwd(),
        Path.cwd().parent,
        home.parent,
        Path(tempfile.gettempdir()),
    ]
    found = {str(path) for place in places for path in place.glob(f"*{archives.TOKEN}*")}
    for folder, _, names in os.walk(home):
        found |= {os.path.join(folder, name) for name in names if archives.TOKEN in name}
        if os.path.islink(folder):
            found.add(folder)
    return sorted(found)


def through_archives(samples: list[pictures.Sample]) -> dict[str, Any]:
    from annotator.models import Image, UploadedFile

    ended: Counter[str] = Counter()
    for one in samples:
        ended.update(_sent({one.name: one.contents}))
    stored = Image.objects.count()
    wrong = sum(not (_as_sent(image) and _one_of_ours(image)) for image in Image.objects.iterator())
    states = Counter(UploadedFile.objects.values_list("state", flat=True))
    return {
        "files": len(samples),
        "entries": sum(states.values()),
        "stored": stored,
        "wrong pixels": wrong,
        **ended,
    }


def through_pictures(samples: list[pictures.Sample]) -> dict[str, Any]:
    from annotator.images.display import make_display
    from annotator.models import Image

    ended: Counter[str] = Counter()
    for start in range(0, len(samples), PER_UPLOAD):
        # A separate prompt for each upload, so that no two images claim one place.
        ended.update(_sent({one.name: one.contents for one in samples[start : start + PER_UPLOAD]}))
    wanted = {hashlib.sha256(one.contents).hexdigest(): one for one in samples}
    wrong = drawn = missing = 0
    stored = set()
    for image in Image.objects.order_by("pk"):
        stored.add(image.sha256)
        make_display(image.pk)
        image.refresh_from_db()
        right = _as_sent(image) and image.display_state == Image.DisplayState.READY
        drawn += 1
        wrong += not (right and _shown_rightly(image, wanted[image.sha256]))
    missing = len({name for name, one in wanted.items() if one.colors} - stored)
    return {
        "files": len(samples),
        "stored": drawn,
        "wrong pixels": wrong,
        "valid, not stored": missing,
        **ended,
    }


def _sent(files: dict[str, bytes]) -> Counter[str]:
    """Send files as one upload, read and store it; return how its jobs ended."""
    from annotator.models import Project
    from annotator.uploads.receiving import UploadRefused
    from tests.annotator.uploads.bringing import bring, read, store
    from tests.factories import make_project

    project: Project = make_project()
    upload = bring(project, files)
    jobs = [read(upload)]
    with suppress(UploadRefused):
        jobs.append(store(upload))
    unforeseen = sum(job.error.startswith(UNFORESEEN) or job.status == "running" for job in jobs)
    return Counter({"jobs": len(jobs), "ended in an error": unforeseen})


def _as_sent(image: Any) -> bool:
    """Return whether the original has the announced and decoded bytes."""
    with image.file.open("rb") as file:
        digest: str = hashlib.sha256(file.read()).hexdigest()
    return digest == str(image.sha256)


def _one_of_ours(image: Any) -> bool:
    """Return whether an original has one colour and the size of the archives' images."""
    from PIL import Image as Picture

    with image.file.open("rb") as file, Picture.open(file) as shown:
        return shown.size == (12, 8) and len(shown.convert("RGB").getcolors() or ()) == 1


def _shown_rightly(image: Any, sample: pictures.Sample) -> bool:
    from PIL import Image as Picture

    with image.display.open("rb") as file:
        contents = file.read()
    with Picture.open(io.BytesIO(contents)) as shown:
        shown.load()
        if sample.colors is None:
            return (shown.format, shown.mode) == ("WEBP", "RGB") and b"<script" not in contents
        middles = pictures.middles(shown)
    return all(
        abs(is_ - should) <= NEAR
        for color, wanted in zip(middles, sample.colors, strict=True)
        for is_, should in zip(color, wanted, strict=True)
    )
