"""A bucket of a local S3 server as media storage."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from config.env import MediaStore

KEYS = {"access_key": "an-access-key", "secret_key": "a-secret-key-of-forty-characters-0123456"}
CLOSED = "http://127.0.0.1:9"
"""An address without a server."""


@pytest.fixture(scope="session")
def object_server() -> Iterator[str]:
    """Return the server's address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def client_of(address: str) -> Any:
    """Return the library's own client."""
    return boto3.client(
        "s3",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id=KEYS["access_key"],
        aws_secret_access_key=KEYS["secret_key"],
    )


def new_bucket(address: str) -> str:
    """Return an empty bucket for this test."""
    name = f"media-{uuid.uuid4().hex[:12]}"
    client_of(address).create_bucket(Bucket=name)
    return name


@pytest.fixture
def media_store(object_server: str, settings: Any, tmp_path: Path) -> MediaStore:
    """Store this test's media in a new bucket below a prefix, everything else in its folder."""
    store = MediaStore(new_bucket(object_server), "team/one", object_server, "us-east-1", **KEYS)
    settings.VAR_DIR, settings.MEDIA_ROOT = tmp_path / "var", tmp_path / "media"
    use(settings, store)
    return store


def use(settings: Any, store: MediaStore) -> None:
    """Store media there from now on."""
    settings.MEDIA_STORE = store
    settings.STORAGES = {**settings.STORAGES, "default": store.storage}


def environment_of(store: MediaStore) -> dict[str, str]:
    """Return a process's environment for it."""
    return {
        "MEDIA_STORE": f"s3://{store.bucket}/{store.prefix}",
        "MEDIA_STORE_ENDPOINT": store.endpoint,
        "MEDIA_STORE_REGION": store.region,
        "MEDIA_STORE_ACCESS_KEY": store.access_key,
        "MEDIA_STORE_SECRET_KEY": store.secret_key,
    }


def keys_in(store: MediaStore) -> dict[str, int]:
    """Return every object's key below the prefix, and its size in bytes."""
    pages = client_of(store.endpoint).get_paginator("list_objects_v2").paginate(Bucket=store.bucket)
    found = {each["Key"]: each["Size"] for page in pages for each in page.get("Contents", ())}
    assert all(key.startswith(f"{store.prefix}/") for key in found)
    return {key.removeprefix(f"{store.prefix}/"): size for key, size in found.items()}
