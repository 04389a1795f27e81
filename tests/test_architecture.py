"""The documented import order, enforced."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from scoring.service import PROTOCOLS
from tests.support import syntax

# Rating forms, which the registry finds too, are rows of a project.
OWN = list(PROTOCOLS)
ROOT = Path(__file__).resolve().parent.parent
# Packages import only packages to their right.
ORDER = ["config", "analysis", "annotator", "scoring"]
# Inside a Django package imports point down only: edges, services, models.
EDGES = {"api", "web", "tasks", "admin", "management", "templatetags", "apps"}
# The rooms of a package: each imports only earlier rooms. docs/explanation/architecture.md has the same list.
ROOMS: Mapping[str, tuple[str, ...]] = {
    "annotator": (
        *("inputs", "database", "models", "signals", "work", "people", "signing_in", "images", "faces"),
        "suggestions",
        *(
            "annotations",
            "protocols",
            "guidelines",
            "batches",
            "training",
            "norming",
            "records",
            "exchange",
            "data_sets",
            "projects",
            "gallery",
            "uploads",
            "demo",
        ),
    ),
    "analysis": (
        *("models", "pseudonyms", "stats", "protocols", "data", "reports", "tables", "exports"),
        *("figures", "sections", "first_screen", "bundles", "home"),
    ),
}
NUMERIC = {"numpy", "pandas", "scipy", "krippendorff", "altair", "vl_convert", "openpyxl", "pyarrow", "boto3"}
FACES = ("scoring", "annotator/protocols", "analysis/protocols", "analysis/exports")
PURE = ["scoring", "annotator/batches/planning", "analysis/stats", "analysis/figures"]
# Sizes, which only go down: a commit that deletes lowers them to what is left. A feature may raise them by
# what its issue grants, after the deletions of the same issue. CONTRIBUTING.md has the rules.
CEILINGS: Mapping[str, int] = {
    "product lines": 73_639,
    "product modules": 660,
    "test lines": 49_011,
    "benchmark lines": 3_919,
    "CSS lines": 6_451,
    "JavaScript lines": 10_465,
    "template lines": 5_496,
    "docs words": 38_832,
}


def modules(*places: str) -> list[Path]:
    """Return every Python file below the places, migrations aside."""
    found = [path for place in places for path in (ROOT / place).rglob("*.py")]
    return [path for path in found if "migrations" not in path.parts]


@cache
def parsed(path: Path) -> ast.Module:
    """Return a file's syntax tree, made once for all tests."""
    return syntax.parsed(path.read_bytes())


@cache
def imports(path: Path) -> list[tuple[int, str]]:
    """Return (line, imported name) for every import of a file, those inside functions included."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports hide the direction"
            found += ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    return found


def offences(paths: list[Path], forbidden: set[str]) -> list[str]:
    """Return file:line name for every import whose first word is forbidden."""
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in paths
        for line, name in imports(path)
        if name.split(".")[0] in forbidden
    ]


@pytest.mark.parametrize("package", ORDER)
def test_packages_import_only_to_the_right(package: str) -> None:
    left = set(ORDER[: ORDER.index(package)])
    # The Celery app and the settings are reached through Celery and Django, not by imports.
    assert offences(modules(package), left) == []


def test_scoring_is_plain_python() -> None:
    allowed = set(sys.stdlib_module_names) | {"scoring"}
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in modules("scoring")
        if path != ROOT / "scoring" / "apps.py"
        for line, name in imports(path)
        if name.split(".")[0] not in allowed
    ]
    assert found == []


@pytest.mark.parametrize("place", PURE)
def test_pure_places_know_no_django_and_no_celery(place: str) -> None:
    plain = [path for path in modules(place) if path.name != "apps.py"]
    found = offences(plain, {"django", "celery", "annotator", "config"})
    inside = f" {place.replace('/', '.')}."
    assert [offence for offence in found if inside not in offence] == []


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_import_only_rooms_that_stand_before_them(package: str) -> None:
    """Edges come after all rooms, and there is nothing else."""
    order = {room: at for at, room in enumerate(ROOMS[package])}
    found, seen = [], set()
    for path in modules(package):
        room = path.relative_to(ROOT / package).with_suffix("").parts[0]
        seen.add(room)
        for line, name in imports(path):
            parts = name.split(".")
            imported = order.get(parts[1], len(order)) if parts[0] == package and len(parts) > 1 else -1
            if imported > order.get(room, len(order)):
                found.append(f"{path.relative_to(ROOT)}:{line} {name}")
    assert found == []
    assert seen - EDGES - {"__init__"} == set(order)


@pytest.mark.parametrize("package", ROOMS)
def test_the_documents_give_the_rooms_in_this_order(package: str) -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    block = text.partition(f"```{package}\n")[2].partition("```")[0]
    assert tuple(line.split()[0] for line in block.splitlines()) == ROOMS[package]


def test_no_folder_has_more_than_twenty_files() -> None:
    places = ("templates", "static/js", "static/css", "tests/js")
    pages = [path for place in places for path in (ROOT / place).rglob("*.*")]
    folders = Counter(path.parent for path in [*modules(*ORDER, "tests"), *pages])
    assert {str(folder.relative_to(ROOT)): count for folder, count in folders.items() if count > 20} == {}


def test_every_class_of_a_template_has_a_rule_or_a_reader() -> None:
    """A rule that leaves the style sheets takes its class along; scripts and tests read some, too."""
    styles = "".join(path.read_text("utf-8") for path in (ROOT / "static" / "css").rglob("*.css"))
    readers = [*(ROOT / "static" / "js").rglob("*.ts"), *(ROOT / "tests").rglob("*.py")]
    known = {*re.findall(r"\.([a-z][\w-]*)", styles)}
    known.update(*(re.findall(r"[\w-]+", path.read_text("utf-8")) for path in readers))
    unknown: set[str] = set()
    for path in (ROOT / "templates").rglob("*.html"):
        plain = re.sub(r"{%.*?%}", " ", re.sub(r"{{.*?}}", "*", path.read_text("utf-8")))
        named = {name for value in re.findall(r'class="([^"]*)"', plain) for name in value.split()}
        unknown |= {name for name in named - known if "*" not in name}
    assert unknown == set()


def test_no_folders_import_each_other_in_a_circle() -> None:
    """Modules and folders in one folder import each other in one direction only, so modules do nowhere.

    Imports inside functions or for types count too, because they only hide a circle.
    """
    side_by_side: dict[str, dict[str, set[str]]] = {}
    for importer, imported in _arrows().items():
        for name in imported:
            folder, one, other = _parting(importer, name)
            side_by_side.setdefault(folder, {}).setdefault(one, set()).add(other)
    assert len(side_by_side) > 20
    assert {folder: circle for folder, arrows in side_by_side.items() if (circle := _circle(arrows))} == {}


def _parting(one: str, other: str) -> tuple[str, str, str]:
    """Return the common folder of two modules, and the next part of each path."""
    parts, others = one.split("."), other.split(".")
    same = next(
        (at for at, pair in enumerate(zip(parts, others, strict=False)) if pair[0] != pair[1]),
        min(len(parts), len(others)),
    )
    return ".".join(parts[:same]), ".".join(parts[same : same + 1]), ".".join(others[same : same + 1])


def _arrows() -> dict[str, set[str]]:
    """Return every module by dotted name, with the modules it imports."""
    names = {path: _dotted(path) for path in modules(*ORDER)}
    known = set(names.values())
    return {
        name: {found for _, each in imports(path) if (found := _module(each, known)) and found != name}
        for path, name in names.items()
    }


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _module(name: str, known: set[str]) -> str:
    """Return the module of an imported name; empty for other packages."""
    return next((each for each in (name, name.rpartition(".")[0]) if each in known), "")


def _circle(arrows: Mapping[str, Iterable[str]]) -> list[str]:
    """Return one circle, each importing the one before it; empty if there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_one_module_sends_tasks() -> None:
    """Elsewhere tasks are started by name, so that no service imports its importer."""
    sends = {"delay", "apply_async", "send_task"}
    found = {
        str(path.relative_to(ROOT))
        for path in modules(*ORDER)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and node.attr in sends
    }
    assert found == {"annotator/work/sending.py"}


def test_no_place_but_the_registries_knows_a_protocol_by_name() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): node.value
        for path in modules("annotator", "analysis", "config", "scoring")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and node.value in OWN and not is_face(path, str(node.value))
    }
    assert sorted(found) == [
        "analysis/exports/registry.py",
        "analysis/protocols/registry.py",
        "annotator/demo/projects.py",
        "annotator/demo/simulated.py",
        "annotator/models/work.py",  # the protocol of whatever names none
        "scoring/presence/protocol.py",  # counts can be shown as presence
    ]


def is_face(path: Path, slug: str) -> bool:
    """Return whether a module belongs to a protocol: to its rules, pages, numbers or export layouts."""
    # One folder may hold a family, such as the protocols of defects.
    return any(ROOT / face / name in path.parents for face in FACES for name in (slug, slug.split("-")[0]))


def test_no_page_compares_a_protocol_with_a_name() -> None:
    compared = re.compile(rf"[!=]=+ *[\"'](?:{'|'.join(PROTOCOLS)})[\"']")
    paths = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static/js").rglob("*.[jt]s")]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        if "built" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if compared.search(line)
    ]
    assert len(paths) > 100
    assert found == []


@pytest.mark.slow  # parses every module
def test_nothing_outside_a_protocols_faces_imports_its_rules() -> None:
    registry = ROOT / "scoring" / "service.py"
    # The engine of rating forms is there for other protocols, too.
    folders = {path.parent.name for path in (ROOT / "scoring").glob("*/protocol.py")}
    slugs = sorted(folders - {"rating_form"})
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for slug in slugs
        for path in modules(*ORDER)
        if path != registry and not is_face(path, slug)
        for line, name in imports(path)
        if f"{name}.".startswith(f"scoring.{slug}.")
    ]
    assert len(slugs) > 1
    assert found == []


@pytest.mark.slow
def test_the_web_process_does_not_load_the_numeric_stack() -> None:
    program = (
        "import sys, django; django.setup();"
        "from django.urls import get_resolver; get_resolver().url_patterns;"
        "import config.wsgi;"
        f"print(sorted({NUMERIC!r} & set(sys.modules)), 'annotator.web.urls' in sys.modules)"
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


@cache
def sizes() -> dict[str, int]:
    """Return the counts that have a ceiling; product lines include migrations and `tools`."""
    product = [ROOT / "manage.py", *_files("*.py", *ORDER, "tools")]
    scripts = [path for path in _files("*.[jt]s", "static/js") if "built" not in path.parts]
    pages = [ROOT / "README.md", *_files("*.md", "docs")]
    return {
        "product lines": _lines(product),
        "product modules": len(product),
        "test lines": _lines(_files("*.py", "tests")),
        "benchmark lines": _lines(_files("*.py", "benchmarks")),
        "CSS lines": _lines(_files("*.css", "static/css")),
        "JavaScript lines": _lines(scripts),
        "template lines": _lines(_files("*.*", "templates")),
        "docs words": sum(len(page.read_text(encoding="utf-8").split()) for page in pages),
    }


def _files(pattern: str, *places: str) -> list[Path]:
    return [path for place in places for path in (ROOT / place).rglob(pattern)]


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


@pytest.mark.parametrize("name", CEILINGS)
def test_no_size_is_above_its_ceiling(name: str) -> None:
    assert sizes()[name] <= CEILINGS[name]


@pytest.mark.parametrize("name", CEILINGS)
def test_a_ceiling_is_lowered_once_one_percent_is_free(name: str) -> None:
    assert CEILINGS[name] <= sizes()[name] * 1.01


def test_no_catch_all_modules() -> None:
    names = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [str(path) for path in modules(*ORDER, "tests") if path.stem in names] == []
