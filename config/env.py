"""Read settings from the environment, those of sign-in and media too, and refuse invalid values."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA mmap_size=67108864;"
    "PRAGMA cache_size=-20000;PRAGMA journal_size_limit=67108864;"
)
# Passwords of examples and default installations.
WELL_KNOWN = frozenset(
    {"admin", "anatomark", "changeme", "change-me", "default", "example", "guest"}
    | {"password", "postgres", "redis", "root", "secret", "test"}
)
# With TLS from the start or after STARTTLS; smtp:// is for a mail server on the same machine or network.
MAIL_SCHEMES = ("smtp+tls", "smtp+ssl", "smtp", "consolemail")
NO_SECRETS = ("django-insecure-", "used-for-collecting", "change-me", "changeme")


def flag(name: str, *, default: bool) -> bool:
    """Return a boolean variable; raise ImproperlyConfigured for anything else."""
    text = os.environ.get(name, "").strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    if not text:
        return default
    raise ImproperlyConfigured(f"{name}={text!r} is not a boolean. Use 1 or 0.")


def debug() -> bool:
    """Return DEBUG; raise ImproperlyConfigured for a server, where error pages would show its settings."""
    if not flag("DEBUG", default=False):
        return False
    if flag("HTTPS", default=False) or secret("DATABASE_URL").startswith("postgres"):
        raise ImproperlyConfigured(
            "DEBUG=1 shows settings and data to anybody who meets an error. It is refused with HTTPS and "
            "with PostgreSQL: develop on SQLite without HTTPS."
        )
    return True


def folder(name: str, *, default: Path) -> Path:
    """Return a folder's absolute path."""
    text = os.environ.get(name, "").strip()
    return Path(text).expanduser().resolve() if text else default


def names(name: str, *, default: list[str]) -> list[str]:
    """Return a comma-separated list."""
    text = os.environ.get(name, "").strip()
    return [part.strip() for part in text.split(",") if part.strip()] if text else default


def number(name: str, *, default: int) -> int:
    """Return a whole number from 0; raise ImproperlyConfigured for anything else."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise ImproperlyConfigured(f"{name}={text!r} is not a whole number. Use digits only.")
    return int(text)


def secret(name: str) -> str:
    """Return a secret from the variable or from the file named by NAME_FILE; '' if neither is set.

    Raise ImproperlyConfigured if the file is unreadable or empty, or if both are set.
    """
    given, path = os.environ.get(name, "").strip(), os.environ.get(f"{name}_FILE", "").strip()
    if not path:
        return given
    if given:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set. Keep one of them.")
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ImproperlyConfigured(f"{name}_FILE cannot be read ({reason}): {path}") from None
    if not text:
        raise ImproperlyConfigured(f"{name}_FILE is empty: {path}")
    return text


def address(name: str, password: str) -> str:
    """Return a URL such as DATABASE_URL with the password from another variable.

    Raise ImproperlyConfigured if the URL already has a password, or for a well-known password.
    """
    url, given = secret(name), secret(password)
    parts = urlsplit(url)
    if given:
        if parts.password:
            raise ImproperlyConfigured(f"{name} contains a password and {password} is set. Keep one of them.")
        user, _, host = parts.netloc.rpartition("@")
        url = parts._replace(netloc=f"{user.rstrip(':')}:{quote(given, safe='')}@{host}").geturl()
    if (given or parts.password or "").lower() in WELL_KNOWN:
        raise ImproperlyConfigured(f"The password in {name} is a well-known default. Generate a random one.")
    return url


def database(*, default: Path) -> dict[str, Any]:
    """Return Django's settings for DATABASE_URL: SQLite (the embedded default) or PostgreSQL.

    SQLite runs with IMMEDIATE transactions: in deferred mode two simultaneous saves end in
    "database is locked" instead of waiting for each other.
    """
    url = address("DATABASE_URL", "DATABASE_PASSWORD") or f"sqlite:///{default}"
    scheme = url.partition("://")[0]
    if scheme not in {"sqlite", "postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"DATABASE_URL must begin with sqlite:// or postgresql://; found {scheme!r}. "
            "Other databases are not supported."
        )
    settings: dict[str, Any] = environ.Env.db_url_config(url)
    return _sqlite(settings) if scheme == "sqlite" else _postgresql(settings)


def _sqlite(settings: dict[str, Any]) -> dict[str, Any]:
    if settings["NAME"] != ":memory:":
        Path(settings["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    options = {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_PRAGMAS}
    return {**settings, "CONN_MAX_AGE": 600, "OPTIONS": options}


def _postgresql(settings: dict[str, Any]) -> dict[str, Any]:
    # A short reconnect_timeout notices a returning server within seconds: back-off lasts only that long, and
    # the next request starts again.
    pool = {"min_size": 1, "max_size": 8, "timeout": 10, "reconnect_timeout": 3}
    # Only statements of annotator/database/prepared.py are prepared. A connection pooler may forbid it.
    prepares = {"prepare_threshold": 1_000_000} if flag("DATABASE_PREPARES", default=True) else {}
    options = {**prepares, **settings.get("OPTIONS", {}), "pool": pool}
    # Health checks detect connections that a server restart has closed.
    return {**settings, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": options}


def mail() -> dict[str, Any]:
    """Return Django's settings for EMAIL_URL and EMAIL_FROM; empty without them, as no email is sent then.

    Raise ImproperlyConfigured for one without the other, and for a URL that is not of a mail server.
    """
    url, sender = address("EMAIL_URL", "EMAIL_PASSWORD"), os.environ.get("EMAIL_FROM", "").strip()
    if not url and not sender:
        return {}
    if not url or "@" not in sender:
        raise ImproperlyConfigured(
            "EMAIL_URL and EMAIL_FROM belong together: a mail server and the address that email comes from, "
            f"such as anatomark@example.org; found EMAIL_FROM={sender!r}."
        )
    scheme = url.partition("://")[0]
    if scheme not in MAIL_SCHEMES:
        raise ImproperlyConfigured(
            f"EMAIL_URL must begin with {', '.join(f'{each}://' for each in MAIL_SCHEMES)}; found {scheme!r}."
        )
    given = {name: value for name, value in environ.Env.email_url_config(url).items() if value is not None}
    return {**given, "EMAIL_TIMEOUT": 10, "DEFAULT_FROM_EMAIL": sender, "SERVER_EMAIL": sender}


def secret_key(*, embedded: bool, keep_in: Path) -> str:
    """Return SECRET_KEY; the embedded default generates one, readable only by its owner.

    Raise ImproperlyConfigured for a server without one: a shared default would let anyone forge sign-ins.
    """
    given = secret("SECRET_KEY")
    if given:
        if len(given) < 32:
            raise ImproperlyConfigured("SECRET_KEY is shorter than 32 characters. Generate a longer one.")
        if not embedded and (given.startswith(NO_SECRETS) or len(set(given)) < 8):
            raise ImproperlyConfigured("SECRET_KEY is a default or a pattern. Generate a random one.")
        return given
    if not embedded:
        raise ImproperlyConfigured("SECRET_KEY is not set. Set it to 50 or more random characters.")
    return _kept_secret(keep_in)


def _kept_secret(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
    return path.read_text(encoding="ascii").strip()


_WANTED = ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class SingleSignOn:
    """An OpenID provider whose users may sign in once their accounts are linked."""

    name: str
    issuer: str
    client_id: str
    client_secret: str

    @property
    def key(self) -> str:
        """Return the key of stored links, which must never count for another issuer."""
        return f"oidc-{sha256(self.issuer.encode()).hexdigest()[:16]}"


def single_sign_on() -> SingleSignOn | None:
    """Return the settings of the OIDC_ variables; None if none are set.

    Raise ImproperlyConfigured if some are missing or secrets would travel unencrypted.
    """
    name = os.environ.get("OIDC_NAME", "").strip()
    given = {wanted: secret(wanted) for wanted in _WANTED}
    issuer = given["OIDC_ISSUER"]
    if not any(given.values()):
        return None
    if missing := [wanted for wanted, value in given.items() if not value]:
        raise ImproperlyConfigured(f"{' and '.join(missing)} not set, but other OIDC_ variables are.")
    parts = urlsplit(issuer)
    if parts.query or parts.fragment or not (parts.scheme == "https" or parts.hostname in _THIS_MACHINE):
        raise ImproperlyConfigured(
            f"OIDC_ISSUER={issuer!r} is not an issuer. Use an https:// URL without a query."
        )
    return SingleSignOn(name or parts.hostname or issuer, *given.values())


_KEYS: Final = ("MEDIA_STORE_ACCESS_KEY", "MEDIA_STORE_SECRET_KEY")
# Nothing in a prefix that a URL would escape, because the proxy requests it as signed.
_BUCKET: Final = re.compile(
    r"s3://([A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])/?"
    r"((?:(?<=/)[A-Za-z0-9_-][A-Za-z0-9._-]*)(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*|)/?"
)
_ENDPOINT: Final = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?/?")


@dataclass(frozen=True)
class MediaStore:
    """A bucket and the prefix of all its files. Without keys, boto3 finds its own."""

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)

    @property
    def storage(self) -> dict[str, Any]:
        """Return Django's storage settings."""
        return {
            "BACKEND": "annotator.images.object_store.ObjectStore",
            "OPTIONS": {
                "bucket_name": self.bucket,
                "location": self.prefix,
                "endpoint_url": self.endpoint or None,
                "region_name": self.region or None,
                "access_key": self.access_key or None,
                "secret_key": self.secret_key or None,
            },
        }


def media_store() -> MediaStore | None:
    """Return the settings of the MEDIA_STORE variables; None if media are in a folder.

    Raise ImproperlyConfigured if they contradict each other or name no valid bucket.
    """
    address, endpoint, region = (
        os.environ.get(name, "").strip()
        for name in ("MEDIA_STORE", "MEDIA_STORE_ENDPOINT", "MEDIA_STORE_REGION")
    )
    keys = [secret(name) for name in _KEYS]
    if not address:
        if endpoint or region or any(keys):
            raise ImproperlyConfigured("MEDIA_STORE is not set, but other MEDIA_STORE_ variables are.")
        return None
    if not (named := _BUCKET.fullmatch(address)):
        raise ImproperlyConfigured(
            "MEDIA_STORE names no bucket. Use s3://BUCKET or s3://BUCKET/PREFIX with a prefix of letters, "
            "digits, “.”, “_”, “-” and “/”; keys have settings of their own."
        )
    if endpoint and not _ENDPOINT.fullmatch(endpoint):
        raise ImproperlyConfigured(
            "MEDIA_STORE_ENDPOINT is not an endpoint. Use https://HOST or https://HOST:PORT."
        )
    if len([key for key in keys if key]) == 1:
        raise ImproperlyConfigured(f"Only one of {' and '.join(_KEYS)} is set. Set both or neither.")
    return MediaStore(named[1], named[2], endpoint.rstrip("/"), region, *keys)
