"""No address that a rater can reach shows a face, or tells what is hidden from raters: every page, file and
route, and every link found there. Among the images are two that are rated under realism."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from zipfile import ZipFile, is_zipfile

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from PIL import Image as Picture
from PIL import ImageChops, ImageStat, UnidentifiedImageError
from PIL.Image import Image as Pixels

from annotator.faces.decisions import current_of
from annotator.images.signed_urls import image_url
from annotator.models import Annotation, Assignment, Batch, Image, User
from annotator.norming.revealing import reveal
from tests.analysis.api.test_rights import ROUTES, token
from tests.annotator.acting import submit
from tests.factories import decide_faces, make_assignment, make_batch
from tests.permissions.table import TABLE
from tests.permissions.walking import Visitor, canaries_in
from tests.permissions.world import Side, World, make_answer, make_canary_image, make_thread, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SIDE = 64
FACE = (16, 16, 32, 32)
INSIDE = (20, 20, 44, 44)
KINDS = ("image/webp,*/*", "image/jpeg", "*/*")
ALIKE = 25
"""Mean difference of grey values: noise differs from its blur by about 40, from its compressed self by 10."""
MOST_PAGES = 600
_LINK = re.compile(r"""(?:href|src|action|data-[\w-]+)=["']([^"'#]+)|"(/[^"\s]*)\"""")


@pytest.fixture
def faces() -> dict[str, Pixels]:
    """The originals by the hash that names them."""
    return {}


@pytest.fixture
def world(caplog: pytest.LogCaptureFixture, faces: dict[str, Pixels]) -> World:
    """A world in which everything that annotators do is done with faces blurred."""
    caplog.set_level(logging.CRITICAL, logger="django.request")
    world = make_world()
    project, lead = world.one.project, world.one.lead.user
    assert lead is not None
    for assignment in world.one.norming.batch.assignments.all():
        make_answer(assignment, "an answer")
    reveal(session=world.one.norming, actor=lead)
    make_rated(world.one)
    Batch.objects.filter(project=project).update(picture=Batch.Picture.FACES_BLURRED)
    images = list(Image.objects.filter(project=project))
    for image in images:
        noise = Picture.effect_noise((SIDE, SIDE), 90)
        faces[str(image.pk)] = noise
        image.file.save(f"{image.sha256}.png", ContentFile(_file(noise, "PNG")), save=False)
        image.display.save(f"{image.sha256}.webp", ContentFile(_file(noise, "WEBP")), save=False)
        image.width = image.height = SIDE
        image.display_state = Image.DisplayState.READY
        image.save()
    decide_faces(images, [list(FACE)])
    return world


def make_rated(side: Side) -> None:
    """Add a batch of realism: an image that A and B have rated and A has asked about, and one that B has."""
    batch = make_batch(side.project, protocol="realism", name=f"{side.canaries['batch']} rating")
    own = []
    for place in (5, 6):
        image = make_canary_image(side.project, side.canaries, place)
        of_a, of_b = (make_assignment(person, batch=batch, image=image) for person in (side.a, side.b))
        make_rating(of_b, 3, side.canaries["answer b"])
        own.append(of_a)
    make_rating(own[0], 8, side.canaries["answer a"])
    make_thread(own[0], side.lead, side.canaries)


def make_rating(assignment: Assignment, rating: int, note: str) -> Annotation:
    """Submit a rating."""
    return submit(assignment, {"rating": rating, "invalid": None, "note": note, "flag": None})


def _file(picture: Pixels, form: str) -> bytes:
    buffer = BytesIO()
    picture.convert("RGB").save(buffer, form, quality=95)
    return buffer.getvalue()


def shown_faces(body: bytes, faces: dict[str, Pixels]) -> list[str]:
    """Return which images a file shows with their faces, in any size; also inside an archive."""
    if is_zipfile(BytesIO(body)):
        with ZipFile(BytesIO(body)) as archive:
            return [found for name in archive.namelist() for found in shown_faces(archive.read(name), faces)]
    try:
        picture = Picture.open(BytesIO(body)).convert("L").resize((SIDE, SIDE))
    except (UnidentifiedImageError, OSError):
        return []
    inside = picture.crop(INSIDE)
    return [
        name
        for name, face in faces.items()
        if ImageStat.Stat(ImageChops.difference(inside, face.convert("L").crop(INSIDE))).mean[0] < ALIKE
    ]


def links_in(body: bytes) -> Iterator[str]:
    """Yield the site's addresses in a page or JSON, without their fragments."""
    for attribute, text in _LINK.findall(unescape(body.decode("utf-8", "replace"))):
        found = attribute or text
        if found.startswith("/") and not found.startswith(("//", "/static/", "/admin/")):
            yield found


def walk(
    world: World, who: str, faces: dict[str, Pixels], *, until_found: bool = False
) -> tuple[set[str], int, list[str]]:
    """Open every address as somebody, then every link; return the addresses, the number of pictures, and what
    shows a face or tells what is hidden."""
    visitor, pictures = Visitor(world), 0
    leaks: list[str] = []
    todo = [
        (method, reverse(line.name, args=line.parts(world.one)), line.sends)
        for line in TABLE
        for method in ("GET", "POST")
        if method in line.methods and line.name != "logout"
    ]
    done: set[tuple[str, str]] = set()
    while todo and len(done) < MOST_PAGES and not (leaks and until_found):
        method, address, sends = todo.pop(0)
        if (method, address) in done:
            continue
        done.add((method, address))
        for accepted in KINDS if "/pictures/" in address else KINDS[-1:]:
            visitor.client.defaults["HTTP_ACCEPT"] = accepted
            answer, body, _ = visitor.ask(who, method, address, sends)
            if answer.status_code != 200:
                continue
            kind = str(answer.headers.get("Content-Type", ""))
            pictures += kind.startswith("image/")
            heard = body.decode("utf-8", "replace")
            if "/norming/" not in address:  # once revealed, a session names its participants
                leaks += [f"{method} {address} tells {told}" for told in canaries_in(world, who, heard)]
            leaks += [f"{method} {address} ({accepted}) shows {name}" for name in shown_faces(body, faces)]
            if kind.startswith(("text/html", "application/json")):
                todo += [("GET", link, "") for link in links_in(body)]
    return {address for _, address in done}, pictures, leaks


def test_no_page_shows_a_face(world: World, faces: dict[str, Pixels]) -> None:
    pages, pictures, leaks = walk(world, "annotator A", faces)
    assert leaks == []
    assert len(pages) > len(TABLE)
    rated = Assignment.objects.filter(batch__protocol="realism", annotator=world.one.a)
    assert {reverse("label", args=[assignment.pk]) for assignment in rated} <= pages
    assert pictures >= 6, "the walk found hardly any picture"


def test_an_address_of_the_whole_image_does_not_open(world: World) -> None:
    """Made for the rater, as if kept from elsewhere; and that of another decision."""
    user, image = world.one.a.user, Image.objects.get(pk=world.one.image.pk)
    assert isinstance(user, User)
    client = Client()
    client.force_login(user)
    assert client.get(image_url(image, user)).status_code == 404
    address = image_url(image, user, blurred=True)
    assert client.get(address).status_code == 200
    decide_faces([image], [[0, 0, 8, 8]])
    assert client.get(address).status_code == 404
    image.refresh_from_db()
    assert image_url(image, user, blurred=True) != address
    assert client.get(image_url(image, user, blurred=True)).status_code == 200


def test_an_undecided_image_is_not_shown_at_all(world: World) -> None:
    user, image = world.one.a.user, Image.objects.get(pk=world.one.image.pk)
    assert isinstance(user, User)
    current_of([image.pk])[image.pk].delete()
    Image.objects.filter(pk=image.pk).update(faces=None)
    image.refresh_from_db()
    client = Client()
    client.force_login(user)
    assert client.get(image_url(image, user, blurred=True)).status_code == 404


def test_no_route_of_the_api_shows_a_face(world: World, faces: dict[str, Pixels]) -> None:
    client, headers = Client(raise_request_exception=False), token(world.one.a.user)
    addresses = ["/api/v1" + path.format(**route.parts(world.one)) for path, route in ROUTES.items()]
    pictures, done = 0, set()
    for image in world.one.project.images.all():
        addresses += [f"/api/v1/images/{image.public_id}/picture{copy}" for copy in ("", "?faces=blurred")]
    while addresses:
        address = addresses.pop()
        if address in done:
            continue
        done.add(address)
        for accepted in KINDS:
            answer = client.get(address, headers={**headers, "accept": accepted})
            body = b"".join(answer) if answer.streaming else answer.content
            if answer.status_code == 200:
                assert shown_faces(body, faces) == [], address
                heard = body.decode("utf-8", "replace")
                assert canaries_in(world, "annotator A", heard) == [], address
                pictures += str(answer.headers["Content-Type"]).startswith("image/")
                addresses += [link for link in links_in(body) if link.startswith("/api/")]
    assert pictures >= 3
    picture = f"/api/v1/images/{world.one.image.public_id}/picture"
    assert client.get(picture, headers=headers).status_code == 404
    assert client.get(f"{picture}?faces=blurred", headers=headers).status_code == 200
    # Where a batch blurs faces, the lead gets such copies too.
    answer = client.get(picture, headers={**token(world.one.lead.user), "accept": KINDS[0]})
    assert (answer.status_code, shown_faces(b"".join(answer), faces)) == (200, [])


def test_leads_see_the_copies_that_annotators_see(world: World, faces: dict[str, Pixels]) -> None:
    """But for marking faces, which needs them."""
    visitor, slug = Visitor(world), world.one.slug
    image = Image.objects.filter(project=world.one.project)[0].public_id
    for name, parts in (("project_images", [slug]), ("references", [slug]), ("image_detail", [slug, image])):
        _, body, _ = visitor.ask("lead", "GET", reverse(name, args=parts), "")
        pictures = [link for link in links_in(body) if "/pictures/" in link]
        assert pictures, name
        for link in pictures:
            answer, picture, _ = visitor.ask("lead", "GET", link, "")
            assert (answer.status_code, shown_faces(picture, faces)) == (200, []), name
