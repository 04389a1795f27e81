"""The check inside the environment finds faults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.runtime import inside

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["json", "json:loads", "django.db:models", "kombu.transport:redis"])
def test_what_is_there(name: str) -> None:
    assert inside.refusal(name) == ""


@pytest.mark.parametrize("name", ["packagings", "packagings:version", "django.db:no_such_thing"])
def test_what_is_not_there_is_named(name: str) -> None:
    assert name.split(":")[-1] in inside.refusal(name) or "packagings" in inside.refusal(name)


def test_imports_inside_of_functions_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "product").mkdir()
    (tmp_path / "product" / "one.py").write_text("def f():\n    import a\n    from b.c import d\n")
    monkeypatch.setattr(inside, "ROOT", tmp_path)
    monkeypatch.setattr(inside, "PACKAGES", ("product",))
    monkeypatch.setattr(inside, "PROGRAMS", ())
    assert [name for _, name in inside.imports()] == ["a", "b.c:d", "product.one"]


def test_an_environment_that_holds_more_than_the_lock_proves_nothing() -> None:
    assert "pytest is installed and not in requirements.lock" in list(inside.strangers())


def test_checks_install_no_program_that_a_server_needs_and_the_guide_does_not_name() -> None:
    tools = {"chromium-headless-shell", "nodejs", "npm"}
    installed = set(
        " ".join(re.findall(r"missing\+=\(([^)]+)\)", (ROOT / ".ci" / "run").read_text())).split()
    )
    guide = (ROOT / "docs" / "how-to" / "deployment.md").read_text()
    named = set(re.findall(r"^apt-get install (.+)$", guide, re.MULTILINE)[0].split())
    assert installed - tools <= named
    assert {"postgresql", "redis-server", "nginx-light"} <= installed & named
    assert "pip install" not in (ROOT / ".ci" / "run").read_text()
