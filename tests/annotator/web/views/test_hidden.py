"""Hidden means hidden: everything an annotator can fetch, byte by byte, at every address there is."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image as Picture
from PIL.PngImagePlugin import PngInfo

from annotator.batches.closing import close_batch
from annotator.images import signed_urls
from annotator.images.display import store_image
from annotator.images.signed_urls import image_url
from annotator.models import Assignment, Batch, Image, Suggestion
from annotator.suggestions.runs import store_run
from tests.annotator.acting import address
from tests.annotator.adjudicating import Case, make_case, settle
from tests.annotator.web.views.conftest import Study, typed
from tests.annotator.web.views.speaking import address_of, answer_body, reopen_body, skip_body
from tests.factories import make_assignment
from tests.permissions.walking import addresses_of
from tests.support.signing_in import signed_in

HIDDEN = {
    "generator": "Quillfern-XL",
    "prompt": "seven dancers beside a lighthouse",
    "prompt_group": "wibblegroup",
    "source_name": "quillfern_lighthouse_0007.png",
}


@pytest.fixture(autouse=True)
def still(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A storage of its own; addresses of pictures and secrets for authenticators that do not move."""
    monkeypatch.setattr(signed_urls, "STEP_SECONDS", 24 * 60 * 60)
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.generate_totp_secret", lambda *_: "J" * 32)


@pytest.fixture
def image(study: Study) -> Image:
    """An image whose file, name and metadata all tell what must not be told."""
    told, buffer = PngInfo(), BytesIO()
    for name, value in HIDDEN.items():
        told.add_text(name, value)
    exif = Picture.Exif()
    exif[0x010E], exif[0x0131] = HIDDEN["prompt"], HIDDEN["generator"]
    Picture.new("RGB", (40, 20), "teal").save(buffer, "PNG", pnginfo=told, exif=exif)
    assert HIDDEN["generator"].encode() in buffer.getvalue()
    return store_image(project=study.project, contents=buffer.getvalue(), number=7, **HIDDEN)


@pytest.fixture
def assignment(study: Study, image: Image) -> Assignment:
    return make_assignment(study.ada, image=image, batch=study.assignments[0].batch)


def received(response: Any) -> bytes:
    """All that goes over the line: status, headers, cookies, body."""
    body = b"".join(response) if response.streaming else response.content
    # Drawn by lot for each request, to find it in the logs.
    told = {name: value for name, value in response.headers.items() if name != "X-Request-ID"}
    head = "\n".join(f"{name}: {value}" for name, value in told.items())
    return f"{response.status_code}\n{head}\n{response.cookies.output()}\n".encode() + body


def fetched(client: Client, assignment: Assignment) -> dict[str, bytes]:
    """What every address answers to a visit, as a page and as a fragment; scripts' addresses speak JSON."""
    # The first visit is remembered in the session, which a header tells.
    client.get("/guide/")
    answers = {}
    for place in sorted(set(addresses_of(assignment))):
        if "logout" in place:
            continue
        page = client.get(place, headers={"Accept": "text/html"})
        answers[f"{place} text/html"] = received(page)
        if page.status_code != 404:  # as the most are, for keys that belong to something else
            answers[f"{place} fragment"] = received(client.get(place, headers={"HX-Request": "true"}))
    return answers


def steadily(client: Client, assignment: Assignment) -> dict[str, bytes]:
    """What every address answers, without tokens, keys and what is drawn anew for every page."""
    return {place: _steady(answer) for place, answer in fetched(client, assignment).items()}


def acted(client: Client, assignment: Assignment) -> dict[str, bytes]:
    """What is answered to everything an annotator does, well and badly."""
    sent: list[tuple[str, Callable[[], Any]]] = [
        ("bad", lambda: client.post(address(assignment), typed("submit", missing_limbs="1/"))),
        ("draft", lambda: client.post(address(assignment), typed("draft", missing_limbs="1/4c"))),
        ("stale", lambda: client.post(address(assignment), typed("submit", missing_limbs="1/3a"))),
        ("submit", lambda: client.post(address(assignment), typed("submit", 1, missing_limbs="1/4c"))),
        ("reopen", lambda: client.post(address(assignment), typed("reopen", 2))),
        *[
            (name, lambda name=name, body=body: _speak(client, name, assignment, body))
            for name, body in [
                ("answer_save", answer_body(version=3)),
                ("answer_save", answer_body(version=3)),
                ("answer_submit", answer_body(version=4)),
                ("answer_reopen", reopen_body(5, reason="a hand")),
                ("answer_skip", skip_body(6)),
            ]
        ],
    ]
    return {f"{number} {name}": received(act()) for number, (name, act) in enumerate(sent)}


def _speak(client: Client, name: str, assignment: Assignment, body: Any) -> Any:
    return client.post(address_of(name, assignment), body, content_type="application/json")


def traces(text: str) -> set[bytes]:
    """A text as it may lie in an answer: plain, in another case, escaped, in hexadecimal, in base64."""
    plain = text.encode()
    found = {plain.lower(), plain.hex().encode(), text.replace(" ", "%20").lower().encode()}
    found.add(text.replace(" ", "+").lower().encode())
    for shift in range(3):
        # Without the ends, which depend on what stands beside the text.
        found.add(base64.b64encode(b"\0" * shift + plain)[4:-4].lower())
    return found


def told(answers: dict[str, bytes], image: Image) -> list[str]:
    """Where anything of the image's that is hidden stands in an answer."""
    secrets = [
        *HIDDEN.values(),
        HIDDEN["source_name"].removesuffix(".png"),
        image.sha256,
        str(image.file.name),
    ]
    return [
        f"{place}: {secret}"
        for place, answer in answers.items()
        for secret in secrets
        if any(trace in answer.lower() for trace in traces(secret))
    ]


thorough = pytest.mark.thorough


@pytest.mark.slow
@pytest.mark.parametrize(
    "ends", ["", pytest.param("closed", marks=thorough), pytest.param("withdrawn", marks=thorough)]
)
def test_nothing_an_annotator_receives_tells(assignment: Assignment, as_ada: Client, ends: str) -> None:
    """Before, while and after they act, or when the batch is closed or the image withdrawn in between."""
    answers = fetched(as_ada, assignment)
    assert sum(answer.startswith(b"200") for answer in answers.values()) > 10
    picture = image_url(assignment.image, as_ada.get("/settings/").wsgi_request.user)  # type: ignore[arg-type]
    assert answers[f"{picture} text/html"].startswith(b"200")
    assert told(answers, assignment.image) == []
    assert told(acted(as_ada, assignment), assignment.image) == []
    if ends == "closed":
        close_batch(batch=assignment.batch, reason="over", actor=None)
    elif ends:
        Assignment.objects.filter(pk=assignment.pk).update(status="withdrawn", position=None)
    answers = fetched(as_ada, assignment)
    assert answers[f"{address(assignment)} text/html"].startswith(b"200")
    assert told(answers, assignment.image) == []
    assert not ends or told(acted(as_ada, assignment), assignment.image) == []


def other_facts(case: Case) -> None:
    Image.objects.filter(pk=case.image.pk).update(
        generator="Another", prompt="something else entirely", prompt_group="", source_name="b.png", number=1
    )


@pytest.mark.thorough
@pytest.mark.parametrize(("begun", "change"), [(False, other_facts), (False, settle), (True, settle)])
def test_what_is_hidden_changes_no_byte(
    assignment: Assignment, as_ada: Client, begun: bool, change: Callable[[Case], object]
) -> None:
    """Not even a digest of it: a length, an order or a validator would tell as well."""
    case = make_case(assignment.batch.project, assignment.image)
    if begun:
        acted(as_ada, assignment)
    before = steadily(as_ada, assignment)
    change(case)
    after = steadily(as_ada, assignment)
    assert {place: answer for place, answer in after.items() if before[place] != answer} == {}


@pytest.mark.slow
def test_the_arm_without_receives_no_suggestion(assignment: Assignment, as_ada: Client) -> None:
    """By no address and no act; and another suggestion changes no byte."""
    suggested = {assignment.image_id: {"people": 77, "visible": {"hands": 88}}}
    run, _ = store_run(
        project=assignment.batch.project, suggested=suggested, actor=None, source="canary-source"
    )
    Batch.objects.filter(pk=assignment.batch_id).update(suggestions=run)
    Assignment.objects.filter(pk=assignment.pk).update(arm="without")
    before = steadily(as_ada, assignment)
    Suggestion.objects.update(payload={"people": 9, "visible": {"face": 66, "hands": 55}})
    run.source = "canary-source-of-another-length"
    run.save()
    assert steadily(as_ada, assignment) == before
    heard = {**before, **acted(as_ada, assignment), **fetched(as_ada, assignment)}
    assert [place for place, answer in heard.items() if b"canary" in answer.lower()] == []
    assert [
        place for place, answer in heard.items() if re.search(rb'"(hands|face)": ?(88|66|55)', answer)
    ] == []
    Assignment.objects.filter(pk=assignment.pk).update(arm="with")
    label = reverse("label", args=[assignment.pk])
    assert b"canary-source" in received(as_ada.get(label))


def _steady(answer: bytes) -> bytes:
    """An answer without tokens, keys and what is drawn anew for every page."""
    answer = re.sub(rb'((?:csrfmiddlewaretoken|request_key)"? value=")[^"]*', rb"\1", answer)
    answer = re.sub(rb'(x-csrftoken": ")[^"]*', rb"\1", answer)
    answer = re.sub(rb"csrftoken=[^;\s]*", b"", answer)
    answer = re.sub(rb"expires=[^;]*", b"", answer)
    # How long the address of a picture still works depends on the clock alone.
    answer = re.sub(rb"max-age=\d+", b"", answer)
    return re.sub(rb"Expires: [^\n]*", b"", answer)


@pytest.mark.thorough
def test_where_a_batch_shows_the_generator_it_is_found(assignment: Assignment, as_ada: Client) -> None:
    """The search above can find something: what the batch shows is found, and nothing else."""
    Batch.objects.update(show_generator=True, show_prompt=True)
    found = told(fetched(as_ada, assignment), assignment.image)
    page, state = reverse("label", args=[assignment.pk]), reverse("answer_state", args=[assignment.pk])
    shown = {place for place in found if HIDDEN["generator"] in place}
    assert {place.split()[0] for place in shown} >= {page, state}
    assert not [
        place for place in found if "quillfern_lighthouse" in place or assignment.image.sha256 in place
    ]
    html = as_ada.get(page).content.decode()
    assert f"Prompt: {HIDDEN['prompt']} · Generator: {HIDDEN['generator']}" in html


def blind(html: str) -> str:
    """The page without what differs from visit to visit: tokens and request keys."""
    html = re.sub(r'(name="(?:csrfmiddlewaretoken|request_key|until)" value=")[^"]*', r"\1", html)
    return re.sub(r'x-csrftoken": "[^"]*', "", html)


def test_the_prompt_shows_where_the_batch_says_so(assignment: Assignment, as_ada: Client) -> None:
    Batch.objects.update(show_prompt=True)
    html = as_ada.get(address(assignment)).content.decode()
    assert (HIDDEN["prompt"] in html, HIDDEN["generator"] in html) == (True, False)


def test_other_peoples_answers_change_no_byte(study: Study, as_ada: Client) -> None:
    pages = [address(study.assignments[0]), "/projects/pilot/queue/"]
    before = [blind(as_ada.get(page).content.decode()) for page in pages]
    bob = signed_in(study.bob)
    sent = typed("submit", missing_limbs="1/4c", note="bob was here")
    assert bob.post(address(study.of_bob), sent).status_code == 302
    assert [blind(as_ada.get(page).content.decode()) for page in pages] == before


def test_another_persons_submission_is_not_named(study: Study, as_ada: Client) -> None:
    signed_in(study.bob).post(address(study.of_bob), typed("submit", missing_limbs="1/4c"))
    html = as_ada.get(address(study.assignments[0]), {"after": study.of_bob.pk}).content.decode()
    assert "submitted" not in html.lower()
