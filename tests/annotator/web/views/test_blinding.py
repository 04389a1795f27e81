"""An annotator's pages tell nothing that could sway a judgement."""

from __future__ import annotations

import re

from django.test import Client

from annotator.models import Image
from tests.annotator.web.views.conftest import Study, address, signed_in, typed

SECRETS = {"generator": "secret-generator", "prompt": "secret-prompt", "source_name": "secret-file.png"}


def blind(html: str) -> str:
    """The page without what differs from visit to visit: tokens and request keys."""
    html = re.sub(r'(name="(?:csrfmiddlewaretoken|request_key)" value=")[^"]*', r"\1", html)
    return re.sub(r'x-csrftoken": "[^"]*', "", html)


def test_generator_prompt_and_file_name_are_hidden(study: Study, as_ada: Client) -> None:
    Image.objects.filter(pk=study.assignments[0].image_id).update(prompt_group="secret-group", **SECRETS)
    as_ada.post(address(study.assignments[0]), typed("draft", missing_limbs="1/4c"))
    for page in (address(study.assignments[0]), address(study.assignments[1]), "/projects/pilot/queue/"):
        html = as_ada.get(page).content.decode()
        assert "secret" not in html
        assert study.assignments[0].image.sha256 not in html
    bad = as_ada.post(address(study.assignments[0]), typed("submit", missing_limbs="1/"))
    stale = as_ada.post(address(study.assignments[0]), typed("submit", missing_limbs="1/3a"))
    assert (bad.status_code, stale.status_code) == (422, 409)
    assert "secret" not in bad.content.decode() + stale.content.decode()


def test_the_prompt_shows_where_the_batch_says_so(study: Study, as_ada: Client) -> None:
    Image.objects.filter(pk=study.assignments[0].image_id).update(**SECRETS)
    batch = study.assignments[0].batch
    batch.show_prompt = True
    batch.save()
    html = as_ada.get(address(study.assignments[0])).content.decode()
    assert "secret-prompt" in html
    assert "secret-generator" not in html


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
