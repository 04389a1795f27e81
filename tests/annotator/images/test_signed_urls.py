"""Addresses of pictures: for one person, for a while, and not to be forged."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from uuid import UUID

import pytest
from django.core.signing import Signer
from django.urls import resolve

from annotator.images.signed_urls import (
    LEAST_SECONDS,
    STEP_SECONDS,
    assigned_url,
    faces_key,
    image_url,
    read_link,
)
from annotator.models import Assignment, Batch, Image, User

START = 1_700_000_000 // STEP_SECONDS * STEP_SECONDS
IMAGE = Image(pk=3, generator="secret", source_name="secret.png", sha256="5ec2e7")
ADA, BOB = User(pk=7), User(pk=8)
SetClock = Callable[[float], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    def show(seconds: float) -> None:
        monkeypatch.setattr("annotator.images.signed_urls.time.time", lambda: START + seconds)

    show(0)
    return show


def token(image: Image = IMAGE, user: User = ADA) -> str:
    return str(resolve(image_url(image, user)).kwargs["token"])


def test_the_same_person_gets_the_same_address_for_half_an_hour(clock: SetClock) -> None:
    clock(1)
    first = image_url(IMAGE, ADA)
    for later in (2, 60, STEP_SECONDS - 1, STEP_SECONDS):
        clock(later)
        assert image_url(IMAGE, ADA) == first
    clock(STEP_SECONDS + 1)
    assert image_url(IMAGE, ADA) != first


@pytest.mark.parametrize("made", [0, 0.5, 1, 899, STEP_SECONDS - 1, STEP_SECONDS - 0.5])
def test_an_address_works_between_half_an_hour_and_an_hour(clock: SetClock, made: float) -> None:
    clock(made)
    text = token()
    clock(made + LEAST_SECONDS - 1)
    assert read_link(text, ADA.pk) is not None
    clock(made + LEAST_SECONDS + STEP_SECONDS + 1)
    assert read_link(text, ADA.pk) is None


def test_an_address_leads_to_its_picture_and_ends_to_the_second(clock: SetClock) -> None:
    text = token()
    for at, left in ((0, LEAST_SECONDS), (LEAST_SECONDS - 0.5, 0)):
        clock(at)
        link = read_link(text, ADA.pk)
        assert link is not None
        assert (link.target, link.seconds_left) == (IMAGE.public_id, left)
    clock(LEAST_SECONDS)
    assert read_link(text, ADA.pk) is None


def test_a_clock_set_back_prolongs_nothing(clock: SetClock) -> None:
    text = token()
    clock(-299)
    assert read_link(text, ADA.pk) is not None  # two servers' clocks may differ by as much
    clock(-2 * 60 * 60)
    assert read_link(text, ADA.pk) is None


@pytest.mark.parametrize("user_pk", [BOB.pk, 0, -7, None])
def test_it_is_one_persons(clock: SetClock, user_pk: int | None) -> None:
    assert read_link(token(), user_pk) is None


def test_everybodys_address_differs_and_tells_nothing(clock: SetClock) -> None:
    addresses = {image_url(image, user) for image in (IMAGE, Image(pk=4)) for user in (ADA, BOB)}
    assert len(addresses) == 4
    said = token().rpartition(".")[0]
    assert json.loads(base64.urlsafe_b64decode(said + "==")) == [
        IMAGE.public_id.hex,
        ADA.pk,
        START + LEAST_SECONDS,
    ]


@pytest.mark.parametrize("picture", list(Batch.Picture))
def test_addresses_of_two_assignments_share_nothing_of_an_image(clock: SetClock, picture: str) -> None:
    image = Image(pk=3, faces=UUID(int=11), sha256="5ec2e7")
    rows = [Assignment(pk=pk, image=image, batch=Batch(picture=picture)) for pk in (21, 22)]
    tokens = [str(resolve(assigned_url(row, ADA)).kwargs["token"]) for row in rows]
    told = [json.loads(base64.urlsafe_b64decode(text.rpartition(".")[0] + "==")) for text in tokens]
    end = START + LEAST_SECONDS
    blurred = picture == Batch.Picture.FACES_BLURRED
    keys = [[faces_key(row.pk, image)] if blurred else [] for row in rows]
    assert told == [[21, ADA.pk, end, *keys[0]], [22, ADA.pk, end, *keys[1]]]
    assert [link and link.target for link in (read_link(text, ADA.pk) for text in tokens)] == [21, 22]
    assert image.faces
    assert not any(key in f"{told}" for key in (image.public_id.hex, image.faces.hex, "5ec2e7"))
    assert (keys[0] != keys[1]) == blurred


def test_no_character_can_be_changed(clock: SetClock) -> None:
    text = token()
    for place, character in enumerate(text):
        other = "A" if character != "A" else "B"
        assert read_link(text[:place] + other + text[place + 1 :], ADA.pk) is None, place
    for forged in ("", ".", "a.b", text[:-1], text + "A", text.rpartition(".")[0], "\0", "é", "." * 500):
        assert read_link(forged, ADA.pk) is None


@pytest.mark.parametrize(
    "said", [[], {}, "x", 7, None, ["not a uuid", 7, START + 60], [7, 7, 7], [1, 2, 3, 4]]
)
def test_what_this_site_signed_for_something_else_is_no_address(clock: SetClock, said: object) -> None:
    other = Signer(sep=".", salt="something else").sign_object([IMAGE.public_id.hex, ADA.pk, START + 60])
    assert read_link(other, ADA.pk) is None
    assert read_link(Signer(sep=".", salt="anatomark.pictures").sign_object(said), ADA.pk) is None
