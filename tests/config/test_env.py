"""Readers of the environment: nonsense is refused, secrets are never shared."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.env import MediaStore, media_store, single_sign_on


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
    monkeypatch.setenv("SECRET_KEY", "a-secret-of-31-characters-only-")
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


KEYS = ("MEDIA_STORE_ACCESS_KEY", "MEDIA_STORE_SECRET_KEY")
MEDIA_NAMES = (
    "MEDIA_STORE",
    "MEDIA_STORE_ENDPOINT",
    "MEDIA_STORE_REGION",
    *KEYS,
    *(f"{key}_FILE" for key in KEYS),
)
NAMES = ("OIDC_NAME", "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_CLIENT_SECRET_FILE")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in (*NAMES, *MEDIA_NAMES):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


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
    assert found == MediaStore(
        "pictures",
        "team/one",
        "https://store.example.org:9000",
        "eu-central-1",
        "value-of-MEDIA_STORE_ACCESS_KEY",
        "value-of-MEDIA_STORE_SECRET_KEY",
    )
    assert "value-of" not in repr(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        *(
            ({"MEDIA_STORE": address}, "names no bucket")
            for address in (
                *("pictures", "s3://", "s3:///one", "https://pictures/one", "s3://a", "s3://-pictures"),
                *("s3://pictures//one", "s3://pictures/../one", "s3://pictures/a b", "s3://pictures/ä"),
                *("s3://user:secret@pictures/one", "s3://pictures/one?x=1", "S3://pictures"),
            )
        ),
        *(
            ({"MEDIA_STORE": "s3://pictures", "MEDIA_STORE_ENDPOINT": endpoint}, "is not an endpoint")
            for endpoint in (
                *("store.example.org", "ftp://store.example.org", "https://", "https://store:port"),
                *("https://user:secret@store.example.org", "https://store.example.org/pictures"),
            )
        ),
        ({"MEDIA_STORE_ENDPOINT": "https://store.example.org"}, "MEDIA_STORE is not set, but other"),
        ({"MEDIA_STORE_REGION": "eu-central-1"}, "MEDIA_STORE is not set, but other"),
        ({"MEDIA_STORE": "s3://pictures", KEYS[0]: "a-key"}, "Set both or neither"),
        ({"MEDIA_STORE": "s3://pictures", KEYS[1]: "a-key"}, "Set both or neither"),
        ({"MEDIA_STORE": "s3://pictures", f"{KEYS[0]}_FILE": "/nowhere"}, "cannot be read"),
    ],
)
def test_half_and_wrong_settings_are_refused(
    environment: pytest.MonkeyPatch, given: dict[str, str], words: str
) -> None:
    for name, text in given.items():
        environment.setenv(name, text)
    with pytest.raises(ImproperlyConfigured, match=words) as refused:
        media_store()
    assert "secret@store" not in str(refused.value)
