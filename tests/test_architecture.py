"""The written import order, held by a machine."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Packages may import only what stands to their right.
ORDER = ["config", "analysis", "annotator", "scoring"]
# Inside a Django package imports point down only: edges, services, models.
EDGES = {"api", "views", "urls", "forms", "tasks", "receivers", "admin", "management", "templatetags", "apps"}
NUMERIC = {"numpy", "pandas", "scipy", "krippendorff", "altair", "vl_convert", "openpyxl", "pyarrow", "boto3"}
PURE = ["scoring", "annotator/planning", "analysis/stats", "analysis/figures"]


def modules(*places: str) -> list[Path]:
    """Return every Python file below the places, migrations aside."""
    found = [path for place in places for path in (ROOT / place).rglob("*.py")]
    return [path for path in found if "migrations" not in path.parts]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, imported name) for every import of a file, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports hide the direction"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def offences(paths: list[Path], forbidden: set[str]) -> list[str]:
    """Return file:line name for every import whose first word is forbidden."""
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in paths
        for line, name in imports(path)
        if name.split(".")[0] in forbidden
    ]


def test_there_is_something_to_check() -> None:
    assert all(len(modules(package)) >= 3 for package in ORDER)


@pytest.mark.parametrize("package", ORDER)
def test_packages_import_only_to_the_right(package: str) -> None:
    left = set(ORDER[: ORDER.index(package)])
    # The Celery app and the settings are the frame every package lives in, reached through Celery and Django.
    assert offences(modules(package), left) == []


def test_scoring_is_plain_python() -> None:
    allowed = set(sys.stdlib_module_names) | {"scoring"}
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in modules("scoring")
        for line, name in imports(path)
        if name.split(".")[0] not in allowed
    ]
    assert found == []


@pytest.mark.parametrize("place", PURE)
def test_pure_places_know_no_django_and_no_celery(place: str) -> None:
    found = offences(modules(place), {"django", "celery", "annotator", "config"})
    inside = f" {place.replace('/', '.')}."
    assert [offence for offence in found if inside not in offence] == []


def test_services_and_models_do_not_import_edges() -> None:
    found = []
    for package in ("annotator", "analysis"):
        for path in modules(package):
            inside = path.relative_to(ROOT / package).with_suffix("").parts[0]
            if inside in EDGES:
                continue
            for line, name in imports(path):
                parts = name.split(".")
                if (
                    parts[0] == package
                    and len(parts) > 1
                    and parts[1] in EDGES
                    and not _lazy_task(path, parts)
                ):
                    found.append(f"{path.relative_to(ROOT)}:{line} {name}")
    assert found == []


def _lazy_task(path: Path, parts: list[str]) -> bool:
    """A service may send its own task: it names the module inside the function that sends."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {name for node in tree.body if isinstance(node, ast.ImportFrom) for name in [node.module]}
    return parts[1] == "tasks" and f"{parts[0]}.tasks" not in top


def test_models_import_no_services() -> None:
    for package in ("annotator", "analysis"):
        place = ROOT / package / "models"
        paths = list(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        found = [
            f"{path.relative_to(ROOT)}:{line} {name}"
            for path in paths
            for line, name in imports(path)
            if name.split(".")[0] == package and not name.startswith(f"{package}.models")
        ]
        assert found == []


def test_no_place_but_the_registries_knows_a_protocol_by_name() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules("annotator", "analysis", "config", "scoring")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and "protocol" in ast.unparse(node.left).lower()
    ]
    assert found == []


def test_the_web_process_does_not_load_the_numeric_stack() -> None:
    program = (
        "import sys, django; django.setup();"
        "from django.urls import get_resolver; get_resolver().url_patterns;"
        "import config.wsgi;"
        f"print(sorted({NUMERIC!r} & set(sys.modules)), 'annotator.urls' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] True", done.stderr


def test_no_module_has_grown_past_the_cap() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {count} lines"
        for path in modules(*ORDER, "tests")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    ]
    assert long == []


def test_no_catch_all_modules() -> None:
    names = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [str(path) for path in modules(*ORDER, "tests") if path.stem in names] == []
