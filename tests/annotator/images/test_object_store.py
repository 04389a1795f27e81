"""A bucket as the storage: what a folder does, it does too, and what it refuses is an OSError in words."""

from __future__ import annotations

import io
import os
import time
from dataclasses import replace
from typing import Any
from urllib.request import urlopen

import pytest
from django.core.exceptions import SuspiciousOperation
from django.core.files.storage import default_storage, storages

from annotator.images.storage import StoreUnavailable, save_object, save_whole
from config.env import MediaStore
from tests.support.object_store import CLOSED, KEYS, client_of, keys_in, use
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.usefixtures("media_store")


def the_store() -> Any:
    """The storage itself, not Django's proxy of it."""
    return storages["default"]


def test_nobody_reads_an_object_without_an_address_signed_for_a_minute(media_store: MediaStore) -> None:
    save_whole("a.png", b"picture")
    acl = client_of(media_store.endpoint).get_object_acl(Bucket=media_store.bucket, Key="team/one/a.png")
    assert [grant["Permission"] for grant in acl["Grants"]] == ["FULL_CONTROL"]  # the owner's
    address = the_store().url("a.png", parameters={"ResponseContentType": "image/webp"})
    assert "X-Amz-Expires=60" in address
    assert KEYS["secret_key"] not in address
    with urlopen(address) as answer:
        assert (answer.read(), answer.headers["Content-Type"]) == (b"picture", "image/webp")


@pytest.mark.thorough
def test_pieces_that_break_off_change_nothing(media_store: MediaStore) -> None:
    def pieces() -> Any:
        yield b"half"
        raise ValueError("no more")

    save_whole("kept", b"whole")
    for name in ("kept", "new"):
        with pytest.raises(ValueError, match="no more"):
            save_object(name, pieces())
    assert keys_in(media_store) == {"kept": 5}
    save_object("new", iter([b"a" * 9_000_000, b"b" * 9_000_000]))
    assert keys_in(media_store) == {"kept": 5, "new": 18_000_000}


def test_an_object_is_a_file() -> None:
    contents = os.urandom(700_000)
    save_whole("a", contents)
    with default_storage.open("a") as file:
        assert file.size == 700_000
        assert file.read(10) == contents[:10]
        assert file.seek(-5, io.SEEK_END) == 699_995
        assert file.read() == contents[-5:]
        assert file.seek(300_000) == 300_000
        assert file.read(300_000) == contents[300_000:600_000]
        assert file.read(0) == b""
    file.open()
    assert b"".join(file.chunks(64 * 1024)) == contents
    file.close()
    save_whole("empty", b"")
    with default_storage.open("empty") as file:
        assert (file.size, file.read()) == (0, b"")
    with pytest.raises(ValueError, match="write them with save"):
        default_storage.open("a", "wb")


def test_a_file_that_is_replaced_while_it_is_read_is_never_mixed() -> None:
    save_whole("a", b"1" * 600_000)
    with default_storage.open("a") as file:
        assert file.read(1) == b"1"
        save_whole("a", b"2" * 600_000)
        assert set(file.read()) == {ord("1")}


def test_folders_are_listed_and_what_is_not_there_is_said() -> None:
    for name in ("x/1/a", "x/1/b", "x/2/c", "x/d"):
        save_whole(name, b"1")
    assert default_storage.listdir("x") == (["1", "2"], ["d"])
    assert default_storage.listdir("x/1") == ([], ["a", "b"])
    assert default_storage.listdir("") == (["x"], [])
    assert default_storage.listdir("nowhere") == ([], [])
    assert abs(default_storage.get_modified_time("x/d").timestamp() - time.time()) < 60
    assert [default_storage.exists(name) for name in ("x/d", "x", "", "x/e")] == [True, False, False, False]
    for ask in (default_storage.open, default_storage.size, default_storage.get_modified_time):
        with pytest.raises(FileNotFoundError):
            ask("x/e")
    default_storage.delete("x/d")
    default_storage.delete("x/d")
    assert not default_storage.exists("x/d")


def test_names_stay_below_the_prefix() -> None:
    for name in ("../two/a", "a/../../b"):
        with pytest.raises(SuspiciousOperation):
            default_storage.open(name)


def test_what_the_store_refuses_is_told_in_words(media_store: MediaStore, settings: Any) -> None:
    use(settings, replace(media_store, bucket="absent-bucket"))
    with pytest.raises(OSError, match=r"the object store refuses \(NoSuchBucket\)"):
        save_whole("a", b"1")
    with pytest.raises(StoreUnavailable, match="NoSuchBucket"):
        default_storage.listdir("")


def test_a_store_that_is_silent_is_left_alone_for_a_while(media_store: MediaStore, settings: Any) -> None:
    use(settings, replace(media_store, endpoint=CLOSED))
    with pytest.raises(StoreUnavailable, match="does not respond"):
        save_whole("a", b"1")
    # Back, but nobody asks yet: whoever waited would keep a web process from saving answers.
    store = the_store()
    store.endpoint_url, store._connections.connection = media_store.endpoint, None
    begun = time.monotonic()
    for _ in range(100):
        with pytest.raises(StoreUnavailable, match="does not respond"):
            default_storage.exists("a")
    assert time.monotonic() - begun < 1
    store._silent_until = time.monotonic()
    assert not default_storage.exists("a")


def test_a_forked_process_has_a_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = the_store().connection
    assert the_store().connection is ours
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert the_store().connection is not ours
