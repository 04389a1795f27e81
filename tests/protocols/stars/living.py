"""Register the stars for a test: rules, page, and all faces."""

from __future__ import annotations

import copy

import pytest
from pytest_django.fixtures import Settings

from annotator.protocols import page as interfaces
from annotator.protocols import registry as pages
from annotator.protocols.page import INTERFACES, register_interface
from scoring import service
from tests.protocols.stars.page import PAGE, TEMPLATES
from tests.protocols.stars.rules import STARS


def let_live(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Register the stars under every face, beside the product's protocols, until the test ends."""
    monkeypatch.setattr(service, "PROTOCOLS", service.registry(*service.PROTOCOLS.values(), STARS))
    monkeypatch.setattr(pages, "PAGES", pages.registry(*pages.PAGES.values(), PAGE))
    monkeypatch.setattr(interfaces, "_HAVING", dict(interfaces._HAVING))
    for face in INTERFACES:
        register_interface(face, service.PROTOCOLS)
    templates = copy.deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"] = [*templates[0]["DIRS"], TEMPLATES]
    settings.TEMPLATES = templates
