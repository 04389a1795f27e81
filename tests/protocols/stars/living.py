"""Register the stars for a test: rules and page."""

from __future__ import annotations

import copy

import pytest
from pytest_django.fixtures import Settings

from annotator.protocols import registry as pages
from scoring import service
from tests.protocols.stars.page import PAGE, TEMPLATES
from tests.protocols.stars.rules import STARS


def let_live(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Register the stars beside the product's protocols, until the test ends."""
    monkeypatch.setattr(service, "PROTOCOLS", service.registry(*service.PROTOCOLS.values(), STARS))
    monkeypatch.setattr(pages, "PAGES", pages.registry(*pages.PAGES.values(), PAGE))
    templates = copy.deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"] = [*templates[0]["DIRS"], TEMPLATES]
    settings.TEMPLATES = templates
