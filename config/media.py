"""Media storage from the environment: a folder, or a bucket of an S3-compatible store."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import env

_KEYS: Final = ("MEDIA_STORE_ACCESS_KEY", "MEDIA_STORE_SECRET_KEY")
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")
# Nothing that a URL would escape, because the proxy requests it as signed.
_PREFIX: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


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
    keys = [env.secret(name) for name in _KEYS]
    if not address:
        if endpoint or region or any(keys):
            raise ImproperlyConfigured("MEDIA_STORE is not set, but other MEDIA_STORE_ variables are.")
        return None
    bucket, _, prefix = address.removeprefix("s3://").rstrip("/").partition("/")
    if not (
        address.startswith("s3://")
        and _BUCKET.fullmatch(bucket)
        and (not prefix or _PREFIX.fullmatch(prefix))
    ):
        raise ImproperlyConfigured(
            f"MEDIA_STORE={address!r} names no bucket. Use s3://BUCKET or s3://BUCKET/PREFIX with a prefix "
            "of letters, digits, “.”, “_”, “-” and “/”."
        )
    if endpoint and not _is_endpoint(endpoint):
        raise ImproperlyConfigured(
            "MEDIA_STORE_ENDPOINT is not an endpoint. Use https://HOST or https://HOST:PORT."
        )
    if len([key for key in keys if key]) == 1:
        raise ImproperlyConfigured(f"Only one of {' and '.join(_KEYS)} is set. Set both or neither.")
    return MediaStore(bucket, prefix, endpoint.rstrip("/"), region, *keys)


def _is_endpoint(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and parts.port != 0
            and "@" not in parts.netloc
            and parts.path in {"", "/"}
            and not (parts.query or parts.fragment)
        )
    except ValueError:  # an invalid port
        return False
