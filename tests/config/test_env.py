"""Readers of the environment: nonsense is refused, secrets are never shared."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("Yes", True), ("0", False), ("off", False), ("", True), (" true ", True)],
)
def test_flags(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("DEBUG", text)
    assert env.flag("DEBUG", default=True) is value


def test_a_flag_that_is_neither_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", "ture")
    with pytest.raises(ImproperlyConfigured, match="DEBUG='ture' is not a boolean"):
        env.flag("DEBUG", default=False)


@pytest.mark.parametrize(
    "server",
    [{"HTTPS": "1"}, {"DATABASE_URL": "postgresql://host/anatomark"}, {"DATABASE_URL": "postgres://h/a"}],
)
def test_debug_is_refused_on_a_server(monkeypatch: pytest.MonkeyPatch, server: dict[str, str]) -> None:
    for name in ("HTTPS", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DEBUG", "1")
    assert env.debug()
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match="DEBUG=1 shows settings and data"):
        env.debug()
    monkeypatch.setenv("DEBUG", "0")
    assert not env.debug()


def test_the_embedded_default_is_sqlite_that_waits_its_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings = env.database(default=tmp_path / "new" / "db.sqlite3")
    assert settings["ENGINE"] == "django.db.backends.sqlite3"
    assert settings["NAME"] == str(tmp_path / "new" / "db.sqlite3")
    assert settings["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert (tmp_path / "new").is_dir()


def test_postgresql_keeps_a_bounded_pool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:p%40ss@db:5433/name")
    settings = env.database(default=tmp_path / "unused")
    assert settings["ENGINE"] == "django.db.backends.postgresql"
    assert (settings["HOST"], settings["PORT"], settings["NAME"]) == ("db", 5433, "name")
    assert settings["PASSWORD"] == "p@ss"
    assert settings["OPTIONS"]["pool"]["max_size"] == 8
    assert settings["CONN_MAX_AGE"] == 0


def test_a_server_without_a_secret_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is not set"):
        env.secret_key(embedded=False, keep_in=tmp_path / "secret")
    assert not (tmp_path / "secret").exists()


def test_a_short_secret_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", "short")
    with pytest.raises(ImproperlyConfigured, match="shorter than 32"):
        env.secret_key(embedded=True, keep_in=tmp_path / "secret")


def test_the_embedded_secret_is_made_once_and_private(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    kept = tmp_path / "var" / "secret"
    first = env.secret_key(embedded=True, keep_in=kept)
    assert len(first) >= 50
    assert env.secret_key(embedded=True, keep_in=kept) == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert env.secret_key(embedded=True, keep_in=tmp_path / "other") != first


@pytest.mark.parametrize(("text", "value"), [("", 7), ("0", 0), (" 12 ", 12), ("8589934592", 2**33)])
def test_numbers(monkeypatch: pytest.MonkeyPatch, text: str, value: int) -> None:
    monkeypatch.setenv("MAX_UPLOAD_BYTES", text)
    assert env.number("MAX_UPLOAD_BYTES", default=7) == value


@pytest.mark.parametrize("text", ["-1", "1.5", "8 GB", "1_000", "١٢", "²"])
def test_what_is_no_number_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("MAX_UPLOAD_BYTES", text)
    with pytest.raises(ImproperlyConfigured, match=r"MAX_UPLOAD_BYTES=.* is not a whole number"):
        env.number("MAX_UPLOAD_BYTES", default=7)


@pytest.mark.parametrize(
    "url", ["smtp+tls://us%40er:pw-of-4711@mail.example.org:587", "smtp+ssl://mail.example.org:465"]
)
def test_a_mail_server(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    monkeypatch.setenv("EMAIL_FROM", "study@example.org")
    found = env.mail()
    assert (found["EMAIL_HOST"], found["DEFAULT_FROM_EMAIL"]) == ("mail.example.org", "study@example.org")
    assert found.get("EMAIL_USE_TLS", False) != found.get("EMAIL_USE_SSL", False)


@pytest.mark.parametrize(
    ("url", "sender"),
    [
        ("smtp://mail.example.org", ""),
        ("", "study@example.org"),
        ("smtp://mail.example.org", "study"),
        ("http://mail.example.org", "study@example.org"),
        ("smtp://user:password@mail.example.org", "study@example.org"),
    ],
)
def test_half_a_mail_server_is_refused(monkeypatch: pytest.MonkeyPatch, url: str, sender: str) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    monkeypatch.setenv("EMAIL_FROM", sender)
    with pytest.raises(ImproperlyConfigured, match="EMAIL_"):
        env.mail()
