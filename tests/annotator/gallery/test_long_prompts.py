"""Prompts of 3,000 characters: stored, told apart, found by an index, and linked by a short key."""

from __future__ import annotations

import random

import pytest
from django.db import IntegrityError, connection, transaction

from annotator.gallery.comparing import compare
from annotator.gallery.filters import read_filter
from annotator.gallery.rows import Gallery
from annotator.models import Image, Project
from annotator.models.prompts import of_prompt
from scoring.anatomy.protocol import ANATOMY
from scoring.prompts import LONGEST_KEY, LONGEST_PROMPT, prompt_key
from tests.factories import make_image, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
# Nothing repeats, so that no database can compress it into an index row; 12,000 bytes.
BEGINNING = "".join(chr(number) for number in random.Random(7).sample(range(0x10000, 0x20000), 2999))
LONG, OTHER = f"{BEGINNING}a", f"{BEGINNING}b"
KEPT = "x" * LONGEST_KEY


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


def gallery(project: Project, prompt: str) -> list[int]:
    found, problems = read_filter({"prompt": [prompt]}, ANATOMY)
    assert problems == []
    assert max(map(len, found.many("prompt"))) <= LONGEST_KEY
    return Gallery(project, "anatomy", found).first(9)


def test_prompts_that_differ_in_their_last_character_are_two(project: Project) -> None:
    images = [make_image(project, prompt=prompt, number=1) for prompt in (LONG, OTHER, KEPT, f"{KEPT}y")]
    assert [len(image.prompt) for image in images[:2]] == [LONGEST_PROMPT] * 2
    for image in images:
        assert gallery(project, image.prompt) == gallery(project, prompt_key(image.prompt)) == [image.pk]
        assert list(project.images.filter(of_prompt(image.prompt))) == [image]
        with pytest.raises(IntegrityError), transaction.atomic():
            make_image(project, prompt=image.prompt, generator=image.generator, number=1)


def test_the_prompt_before_and_after(project: Project) -> None:
    for number, prompt in enumerate((LONG, OTHER, "a short one"), start=1):
        make_image(project, prompt=prompt, number=number)
    first, second = sorted((LONG, OTHER), key=prompt_key)
    found = compare(project, "anatomy", first)
    assert (found.previous, found.next) == ("a short one", second)
    assert [column.images for column in compare(project, "anatomy", prompt_key(second)).columns] == [1]


def test_databases_and_python_compute_the_same_key_from_an_index(project: Project) -> None:
    for prompt in (LONG, KEPT, f"{KEPT}y", "", "Ä🙂"):
        make_image(project, prompt=prompt, number=None)
    rows = Image.objects.values_list("prompt", "prompt__key")
    assert dict(rows) == {prompt: prompt_key(prompt) for prompt, _ in rows}
    # PostgreSQL does not look into an index for five rows.
    if connection.vendor == "sqlite":
        plan = Image.objects.filter(of_prompt(LONG), project=project).order_by().explain()
        assert "image_prompt" in plan
