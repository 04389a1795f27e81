"""Documents: links, names of tests, examples of the API."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w.-]+(/[\w.-]+)*(/|\.(py|js|html|css|md|toml|ya?ml|sh|conf|template|json|lock))")
# Names of files that a reader makes, receives or looks up elsewhere.
FOREIGN = re.compile(r"^(secrets|data|reports|plans|protocols|images|media|var|receiving|partial)/")
TEXTS = {".py", ".html", ".yml", ".template"}
PLACEHOLDERS = ("SLUG", "NAME", "KIND", "FOLDER", "….")


@cache
def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as forges make them."""
    found: dict[str, int] = {}
    for title in re.findall(r"^#{1,6} +(.+?) *$", prose(page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
    return frozenset(f"{slug}-{at}" if at else slug for slug, most in found.items() for at in range(most + 1))


def dead_links(page: Path) -> list[str]:
    """Return the relative links of a page that lead to no file or no heading."""
    dead = []
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            dead.append(target)
    return dead


@cache
def file_names() -> frozenset[str]:
    """Return the names of all files of the repository, for spans that name a file without its folder."""
    folders = ("analysis", "annotator", "benchmarks", "config", "docs", "scoring", "static", "tests")
    paths = [*ROOT.glob("*.py"), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
    return frozenset(path.name for path in paths)


def dead_paths(page: Path) -> list[str]:
    """Return the code spans of a page that look like a path of the repository and are none."""
    dead = []
    for span in SPAN.findall(prose(page)):
        if not FILE.fullmatch(span) or FOREIGN.match(span) or any(word in span for word in PLACEHOLDERS):
            continue
        beside = (ROOT / span, page.parent / span)
        if "/" in span.rstrip("/"):
            missing = not any(path.exists() for path in beside)
        else:
            missing = span.endswith(".py") and span not in file_names()
        if missing:
            dead.append(span)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert dead_links(page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_exists(page: Path) -> None:
    assert dead_paths(page) == []


def test_every_document_named_in_the_code_exists() -> None:
    folders = ("analysis", "annotator", "benchmarks", "config", "docs", "scoring", "templates", "tests")
    texts = [path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in TEXTS]
    named = {
        (str(path.relative_to(ROOT)), name)
        for path in [*texts, ROOT / "docker-compose.yml"]
        if path != Path(__file__)
        for name in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert sorted(each for each in named if not (ROOT / each[1]).exists()) == []


def test_every_document_is_reached_from_the_index() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        names = [target.partition("#")[0] for target in LINK.findall(prose(page)) if ":" not in target]
        waiting += [(page.parent / name).resolve() for name in names if name]
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []


def test_every_test_it_names_is_there() -> None:
    page = (ROOT / "docs" / "explanation" / "threat-model.md").read_text()
    rows = [line for line in page.splitlines() if "`tests/" in line]
    assert len(rows) > 15
    missing = []
    for row in rows:
        folder = ROOT
        for name in re.findall(r"`((?:tests/|test_)[\w/.]+)`", row):
            # `test_b.py` after `tests/a/test_a.py` stands in the same folder.
            path = ROOT / name if name.startswith("tests/") else folder / name
            folder = path.parent
            if not path.exists():
                missing.append(name)
    assert missing == []
