"""A bucket of an S3-compatible store as a source of images: whoever runs the command has the keys.

Address and keys come from where boto3 looks for them: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and the like.
Only commands and workers import this module; the library costs a second and 40 MB.
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
    """The objects of a bucket below a prefix; names are what follows it."""

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
            raise SourceRefused(f"The object store cannot be used: {error}") from error

    def files(self) -> Iterator[Found]:
        """The objects in the order of their keys, a thousand at once. Raises SourceRefused."""
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
        """An object, fetched into memory. Raises OSError."""
        with _errors_as_oserror():
            answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)
            return BytesIO(answer["Body"].read())

    def path(self, name: str) -> Path:
        """An object as a file that lasts until the source is closed. Raises OSError."""
        self._fetched = self._fetched or tempfile.TemporaryDirectory()
        path = Path(self._fetched.name) / name.encode().hex()[-200:]
        if not path.exists():
            with _errors_as_oserror():
                self._client.download_file(self._bucket, self._prefix + name, str(path))
        return path

    def close(self) -> None:
        """Remove what was fetched."""
        if self._fetched is not None:
            self._fetched.cleanup()
            self._fetched = None


@contextmanager
def _errors_as_oserror() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise OSError(5, str(error)) from error
