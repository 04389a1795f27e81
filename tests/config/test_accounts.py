"""How people sign in, read from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env import single_sign_on

NAMES = ("OIDC_NAME", "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_CLIENT_SECRET_FILE")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_without_variables_there_is_none(environment: pytest.MonkeyPatch) -> None:
    assert single_sign_on() is None


def test_the_secret_comes_from_a_file(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "oidc"
    file.write_text("a-secret\n")
    environment.setenv("OIDC_ISSUER", "https://id.example.org/realms/lab")
    environment.setenv("OIDC_CLIENT_ID", "anatomark")
    environment.setenv("OIDC_CLIENT_SECRET_FILE", str(file))
    found = single_sign_on()
    assert found is not None
    assert (found.name, found.client_secret) == ("id.example.org", "a-secret")
    environment.setenv("OIDC_NAME", "Example University")
    environment.setenv("OIDC_ISSUER", "https://id.example.org/realms/other")
    other = single_sign_on()
    assert other is not None
    assert other.name == "Example University"
    assert other.key != found.key


def test_half_a_provider_stops_the_start(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("OIDC_ISSUER", "https://id.example.org")
    with pytest.raises(
        ImproperlyConfigured, match="OIDC_CLIENT_ID and OIDC_CLIENT_SECRET not set, but other"
    ):
        single_sign_on()


@pytest.mark.parametrize("issuer", ["http://id.example.org", "id.example.org", "https://id.example.org/?a=b"])
def test_secrets_do_not_travel_in_the_clear(environment: pytest.MonkeyPatch, issuer: str) -> None:
    environment.setenv("OIDC_ISSUER", issuer)
    environment.setenv("OIDC_CLIENT_ID", "anatomark")
    environment.setenv("OIDC_CLIENT_SECRET", "a-secret")
    with pytest.raises(ImproperlyConfigured, match="is not an issuer"):
        single_sign_on()
