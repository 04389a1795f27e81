"""Run by the environment that holds the lock alone, `python -m tests.runtime.inside`.

Ends with 1 and a line for each thing that is missing. Imports nothing of the tests that needs
more. The environment names a bucket, or says NO_BUCKET.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.syntax import parsed

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("config", "analysis", "annotator", "scoring")
PROGRAMS = ("gunicorn.app.wsgiapp", "gunicorn.workers.sync", "celery.bin.worker", "celery.bin.beat")


def main() -> int:
    """Run all checks and return the exit status."""
    import django

    django.setup()
    missing = [*libraries(), *([] if os.environ.get("NO_BUCKET") else store())]
    print("\n".join(missing))
    return 1 if missing else 0


def libraries() -> Iterator[str]:
    """Import everything the product imports, load every command, and draw a figure."""
    yield from strangers()
    for where, name in imports():
        if reason := refusal(name):
            yield f"{where} imports {name}: {reason}"
    yield from commands()
    yield from drawings()


def strangers() -> Iterator[str]:
    """Yield packages that are installed but not in the lock; they would invalidate the check."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    named = {_plain(name) for name in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==", lock, re.MULTILINE)}
    for found in importlib.metadata.distributions():
        if (name := _plain(found.name)) not in named:
            yield f"{name} is installed and not in requirements.lock"


def imports() -> Iterator[tuple[str, str]]:
    """Yield (file, name) for every module of the product and every import, those in functions too."""
    yield from (("a server", name) for name in PROGRAMS)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            where = path.relative_to(ROOT)
            for node in ast.walk(parsed(path.read_bytes())):
                if isinstance(node, ast.Import):
                    yield from ((str(where), alias.name) for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield from ((str(where), f"{node.module}:{alias.name}") for alias in node.names)
            if path.name != "__main__.py":
                yield str(where), ".".join(where.with_suffix("").parts).removesuffix(".__init__")


def refusal(name: str) -> str:
    """Return why `module` or `module:name` cannot be imported; empty if it can."""
    module, _, inside = name.partition(":")
    try:
        found = importlib.import_module(module)
        if inside not in {"", "*"} and not hasattr(found, inside):
            importlib.import_module(f"{module}.{inside}")
    except ImportError as error:
        return str(error)
    return ""


def commands() -> Iterator[str]:
    """Yield every command of manage.py that cannot be loaded."""
    from django.core.management import get_commands, load_command_class

    for name, app in get_commands().items():
        try:
            load_command_class(str(app), name)
        except ImportError as error:
            yield f"manage.py {name}: {error}"


def drawings() -> Iterator[str]:
    """Draw a figure in each format of the product, and as PDF."""
    import vl_convert

    from analysis.figures.drawing_process import draw_in_child
    from analysis.figures.figure import Figure

    encoding = {"x": {"field": "name", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}}
    view = {"data": {"name": "rows"}, "mark": "bar", "encoding": encoding}
    figure = Figure("bars", "Bars", drawn={"rows": [{"name": "a", "value": 1}]}, view=view)
    svg = draw_in_child(figure, "svg").decode()
    forms = {
        "SVG": svg.startswith("<svg"),
        "PNG": draw_in_child(figure, "png").startswith(b"\x89PNG"),
        "PDF": bytes(vl_convert.svg_to_pdf(svg)).startswith(b"%PDF"),
    }
    yield from (f"no {form} was drawn" for form, good in forms.items() if not good)


def store() -> Iterator[str]:
    """Use the environment's bucket as every starting process does, and store a file in it."""
    from django.core.files.base import File
    from django.core.files.storage import default_storage

    from config.operations import prerequisites

    if fault := prerequisites.media():
        yield fault
    name = default_storage.save("checked.txt", File(io.BytesIO(b"kept")))
    with default_storage.open(name) as kept:
        if kept.read() != b"kept":
            yield "the bucket gives back something else than it was given"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
