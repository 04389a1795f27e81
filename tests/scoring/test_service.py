"""The registry of protocols."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.service import PROTOCOLS, UnknownProtocol, get_protocol, registry
from tests.stars import STARS


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry with a second protocol."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, STARS))


def test_every_protocol_stands_under_its_own_slug() -> None:
    assert get_protocol("anatomy") is ANATOMY
    assert {slug: get_protocol(slug).slug for slug in PROTOCOLS} == {slug: slug for slug in PROTOCOLS}


@pytest.mark.usefixtures("two")
def test_a_second_protocol_is_found_beside_the_first() -> None:
    assert (get_protocol("anatomy"), get_protocol("stars")) == (ANATOMY, STARS)


@pytest.mark.usefixtures("two")
def test_an_unknown_protocol_is_named_beside_the_known_ones() -> None:
    with pytest.raises(UnknownProtocol) as unknown:
        get_protocol("moons")
    assert str(unknown.value) == "there is no protocol 'moons'; known: anatomy, stars"
    assert isinstance(unknown.value, KeyError)


def test_two_protocols_of_one_slug_are_refused() -> None:
    with pytest.raises(ValueError, match="'anatomy'"):
        registry(ANATOMY, STARS, replace(STARS, slug="anatomy"))


def test_a_registry_takes_no_protocol_later() -> None:
    with pytest.raises(TypeError):
        registry(ANATOMY)["stars"] = STARS  # type: ignore[index]
