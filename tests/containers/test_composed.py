"""The reading of our files for `python -m tests.containers`."""

from __future__ import annotations

import re

from ruamel.yaml import YAML

from tests.containers.bases import PLACES, ROOT, wanted
from tests.containers.composed import SERVICES, in_turn

COMPOSE = YAML(typ="safe").load((ROOT / "docker-compose.yml").read_text())


def test_a_service_comes_up_after_what_it_depends_on() -> None:
    found = dict(in_turn(COMPOSE))
    order = list(found)
    assert set(order) == {*SERVICES, "migrate"}
    assert all(order.index(other) < order.index(name) for name in order for other in found[name])
    assert found["web"]["migrate"] == {"condition": "service_completed_successfully"}


def test_there_is_a_base_for_every_image_that_is_named() -> None:
    images = {service["image"] for service in COMPOSE["services"].values()} - {"anatomark:local"}
    begun = {
        line.split()[1] for line in (ROOT / "Dockerfile").read_text().splitlines() if line[:5] == "FROM "
    }
    assert set(wanted()) == images | begun
    for base in filter(None, wanted().values()):
        text = (PLACES / f"{base}.Containerfile").read_text()
        assert re.findall(r"^FROM (\S+)", text)[0] in begun
        assert all((PLACES / name).stat().st_mode & 0o111 for name in re.findall(r"^COPY (\S+)", text, re.M))
