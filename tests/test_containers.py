"""The container files: valid by the published schema, complete, and without a password in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent


def test_the_compose_file_follows_the_compose_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run(
        [*command, "docker-compose.yml"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_check_notices_a_misspelt_key(tmp_path: Path) -> None:
    broken = tmp_path / "compose.yml"
    broken.write_text((ROOT / "docker-compose.yml").read_text().replace("healthcheck:", "healthchek:"))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(broken)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "healthchek" in done.stdout


def test_the_compose_file_runs_the_whole_set() -> None:
    compose = YAML(typ="safe").load((ROOT / "docker-compose.yml").read_text())
    assert set(compose["services"]) == {"postgres", "redis", "migrate", "web", "worker", "beat"}
    environment = compose["services"]["web"]["environment"]
    assert all(environment[name].startswith("${") for name in ("SECRET_KEY", "ALLOWED_HOSTS"))
    assert "${POSTGRES_PASSWORD:?" in environment["DATABASE_URL"]
    assert all(compose["services"][name]["read_only"] for name in ("web", "worker", "beat"))


def test_the_image_serves_what_it_collects() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert text.index("STATIC_COLLECTED=1") < text.index("manage.py collectstatic")


def test_the_image_does_not_run_as_root() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER")] == ["USER 10001:10001"]
