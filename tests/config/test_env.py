"""Readers of the environment: nonsense is refused, secrets are never shared."""

from __future__ import annotations

import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.env import MediaStore, media_store, single_sign_on

KEYS = ("MEDIA_STORE_ACCESS_KEY", "MEDIA_STORE_SECRET_KEY")
STORE, PROVIDER = {"MEDIA_STORE": "s3://pictures"}, {"OIDC_CLIENT_ID": "a", "OIDC_CLIENT_SECRET": "a-secret"}
NAMES = (
    *("DATABASE_URL", "DEBUG", "EMAIL_FROM", "EMAIL_URL", "HTTPS", "MAX_UPLOAD_BYTES", "SECRET_KEY"),
    *("MEDIA_STORE", "MEDIA_STORE_ENDPOINT", "MEDIA_STORE_REGION", *KEYS, *(f"{key}_FILE" for key in KEYS)),
    *("OIDC_NAME", "OIDC_ISSUER", "OIDC_CLIENT_SECRET_FILE", *PROVIDER),
)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("read", "given", "words"),
    [
        (partial(env.flag, "DEBUG", default=False), {"DEBUG": "ture"}, "DEBUG='ture' is not a boolean"),
        *(
            (env.debug, {"DEBUG": "1", name: value}, "DEBUG=1 shows settings and data")
            for name, value in (("HTTPS", "1"), ("DATABASE_URL", "postgresql://host/a"))
        ),
        (partial(env.secret_key, embedded=False, keep_in=Path("none")), {}, "SECRET_KEY is not set"),
        (
            partial(env.secret_key, embedded=True, keep_in=Path("none")),
            {"SECRET_KEY": "a-secret-of-31-characters-only-"},
            "shorter than 32",
        ),
        *(
            (partial(env.number, "MAX_UPLOAD_BYTES", default=7), {"MAX_UPLOAD_BYTES": text}, "a whole number")
            for text in ("-1", "1.5", "8 GB", "1_000", "١٢", "²")
        ),
        *(
            (env.mail, {"EMAIL_URL": url, "EMAIL_FROM": sender}, "EMAIL_")
            for url, sender in (
                ("smtp://mail.example.org", ""),
                ("", "study@example.org"),
                ("smtp://mail.example.org", "study"),
                ("http://mail.example.org", "study@example.org"),
                ("smtp://user:password@mail.example.org", "study@example.org"),
            )
        ),
        (single_sign_on, {"OIDC_ISSUER": "https://a.org"}, "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET not set"),
        *(
            (single_sign_on, {"OIDC_ISSUER": issuer, **PROVIDER}, "is not an issuer")
            for issuer in ("http://id.example.org", "id.example.org", "https://id.example.org/?a=b")
        ),
        *(
            (media_store, {"MEDIA_STORE": address}, "names no bucket")
            for address in (
                *("pictures", "s3://", "s3:///one", "https://pictures/one", "s3://a", "s3://-pictures"),
                *("s3://pictures//one", "s3://pictures/../one", "s3://pictures/a b", "s3://pictures/ä"),
                *("s3://user:secret@pictures/one", "s3://pictures/one?x=1", "S3://pictures"),
            )
        ),
        *(
            (media_store, {**STORE, "MEDIA_STORE_ENDPOINT": endpoint}, "is not an endpoint")
            for endpoint in (
                *("store.example.org", "ftp://store.example.org", "https://", "https://store:port"),
                *("https://user:secret@store.example.org", "https://store.example.org/pictures"),
            )
        ),
        (media_store, {"MEDIA_STORE_ENDPOINT": "https://a.org"}, "MEDIA_STORE is not set, but other"),
        (media_store, {"MEDIA_STORE_REGION": "eu-central-1"}, "MEDIA_STORE is not set, but other"),
        *((media_store, {**STORE, key: "a-key"}, "Set both or neither") for key in KEYS),
        (media_store, {**STORE, f"{KEYS[0]}_FILE": "/nowhere"}, "cannot be read"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    environment: pytest.MonkeyPatch, read: Callable[[], object], given: dict[str, str], words: str
) -> None:
    for name, text in given.items():
        environment.setenv(name, text)
    with pytest.raises(ImproperlyConfigured, match=words) as refused:
        read()
    assert "secret@" not in str(refused.value)
    assert not Path("none").exists()


def test_debug_is_for_an_embedded_database(environment: pytest.MonkeyPatch) -> None:
    assert not env.debug()
    environment.setenv("DEBUG", "1")
    assert env.debug()


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("Yes", True), ("0", False), ("off", False), ("", True), (" true ", True)],
)
def test_flags(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("DEBUG", text)
    assert env.flag("DEBUG", default=True) is value


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


@pytest.mark.parametrize(
    "url", ["smtp+tls://us%40er:pw-of-4711@mail.example.org:587", "smtp+ssl://mail.example.org:465"]
)
def test_a_mail_server(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    monkeypatch.setenv("EMAIL_FROM", "study@example.org")
    found = env.mail()
    assert (found["EMAIL_HOST"], found["DEFAULT_FROM_EMAIL"]) == ("mail.example.org", "study@example.org")
    assert found.get("EMAIL_USE_TLS", False) != found.get("EMAIL_USE_SSL", False)


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


def test_without_variables_media_are_in_a_folder(environment: pytest.MonkeyPatch) -> None:
    assert media_store() is None
    assert settings.MEDIA_STORE is None
    assert settings.STORAGES["default"] == {"BACKEND": "django.core.files.storage.FileSystemStorage"}


def test_keys_come_from_files_and_are_never_shown(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for key in KEYS:
        (tmp_path / key).write_text(f"value-of-{key}\n")
        environment.setenv(f"{key}_FILE", str(tmp_path / key))
    environment.setenv("MEDIA_STORE", "s3://pictures/team/one/")
    environment.setenv("MEDIA_STORE_ENDPOINT", "https://store.example.org:9000/")
    environment.setenv("MEDIA_STORE_REGION", "eu-central-1")
    found = media_store()
    place = ("pictures", "team/one", "https://store.example.org:9000", "eu-central-1")
    assert found == MediaStore(*place, *(f"value-of-{key}" for key in KEYS))
    assert "value-of" not in repr(found)
