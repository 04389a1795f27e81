"""The registry of protocols."""

import pytest

from scoring.anatomy.protocol import ANATOMY
from scoring.service import PROTOCOLS, UnknownProtocol, get_protocol


def test_the_anatomy_protocol_is_registered_under_its_slug() -> None:
    assert get_protocol("anatomy") is ANATOMY
    assert dict(PROTOCOLS) == {"anatomy": ANATOMY}


def test_an_unknown_protocol_is_named_beside_the_known_ones() -> None:
    with pytest.raises(UnknownProtocol) as unknown:
        get_protocol("realism")
    assert str(unknown.value) == "there is no protocol 'realism'; known: anatomy"
    assert isinstance(unknown.value, KeyError)
