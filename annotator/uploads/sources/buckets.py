"""A bucket of an S3-compatible store as a source of images.

Address and keys come from the environment of boto3: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and the like.
Only commands and workers import this module, because the library costs a second and 40 MB.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from annotator.uploads.sources.sources import Found, SourceRefused

_SECONDS: Final = 30
_TRIES: Final = 5


class Bucket:
    """The objects of a bucket below a prefix; names are relative to it."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._fetched: tempfile.TemporaryDirectory[str] | None = None
        config = Config(
            connect_timeout=_SECONDS,
            read_timeout=_SECONDS,
            retries={"max_attempts": _TRIES, "mode": "standard"},
        )
        try:
            self._client = boto3.client("s3", config=config)
        except (BotoCoreError, ValueError) as error:
            raise SourceRefused(f"The object store is not available: {error}") from error

    def files(self) -> Iterator[Found]:
        """Yield the objects in the order of their keys, in pages of a thousand. Raises SourceRefused."""
        try:
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix
            )
            for page in pages:
                for each in page.get("Contents", ()):
                    name = each["Key"].removeprefix(self._prefix)
                    if name and not name.endswith("/"):
                        yield Found(name, each["Size"])
        except (BotoCoreError, ClientError) as error:
            raise SourceRefused(f"The bucket {self._bucket} cannot be listed: {error}") from error

    def open(self, name: str) -> BinaryIO:
        """Fetch an object into memory. Raises OSError."""
        with _errors_as_oserror():
            answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)
            return BytesIO(answer["Body"].read())

    def path(self, name: str) -> Path:
        """Fetch an object into a file that lasts until the source is closed. Raises OSError."""
        self._fetched = self._fetched or tempfile.TemporaryDirectory()
        path = Path(self._fetched.name) / name.encode().hex()[-200:]
        if not path.exists():
            with _errors_as_oserror():
                self._client.download_file(self._bucket, self._prefix + name, str(path))
        return path

    def close(self) -> None:
        """Remove fetched files."""
        if self._fetched is not None:
            self._fetched.cleanup()
            self._fetched = None


@contextmanager
def _errors_as_oserror() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise OSError(5, str(error)) from error
