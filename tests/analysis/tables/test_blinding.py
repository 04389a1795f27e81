"""What annotators saw, in words: of answers made here and of imported ones apart."""

from __future__ import annotations

import pytest

from analysis.tables.blinding import answered, seen_sentences
from annotator.models import Batch
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db

SEEN = Batch.Seen


def batch(name: str, prompt: str, generator: str, **fields: object) -> Batch:
    return Batch(name=name, prompt_seen=prompt, generator_seen=generator, **fields)


def test_a_mixed_project_says_both() -> None:
    said = seen_sentences(
        [batch("one", SEEN.AS_SET, SEEN.AS_SET), batch("Imported: a.csv", SEEN.UNKNOWN, SEEN.UNKNOWN)]
    )
    assert said == (
        "The annotators who worked in Anatomark saw neither the prompt nor the generator. Whether the "
        "annotators of the imported annotations saw the prompt or the generator is not known."
    )


def test_every_case_has_words_of_its_own() -> None:
    said = {
        seen_sentences([batch("one", prompt, generator)])
        for prompt in (SEEN.SHOWN, SEEN.HIDDEN, SEEN.UNKNOWN)
        for generator in (SEEN.SHOWN, SEEN.HIDDEN, SEEN.UNKNOWN)
    }
    assert len(said) == 9
    assert seen_sentences([batch("one", SEEN.SHOWN, SEEN.SHOWN)]) in said
    assert seen_sentences([]) == ""


def test_batches_that_differ_are_named() -> None:
    batches = [batch(f"b{number}", SEEN.AS_SET, SEEN.AS_SET) for number in range(7)]
    batches.append(batch("last", SEEN.AS_SET, SEEN.AS_SET, show_prompt=True))
    first, second = seen_sentences(batches).split(". ")
    assert "(batches “b0”, “b1”, “b2”, “b3”, “b4” and 2 more)" in first
    assert "(batch “last”)" in second


def test_blurred_faces_are_said() -> None:
    blurred = batch("one", SEEN.AS_SET, SEEN.AS_SET, picture=Batch.Picture.FACES_BLURRED)
    assert seen_sentences([blurred]) == (
        "The annotators who worked in Anatomark saw neither the prompt nor the generator; faces were blurred."
    )
    both = seen_sentences([blurred, batch("two", SEEN.AS_SET, SEEN.AS_SET)])
    assert both.count("; faces were blurred") == 1


def test_only_batches_with_submitted_answers_count() -> None:
    project = make_project()
    member = make_member(project)
    done, begun = make_batch(project, name="done"), make_batch(project, name="begun")
    make_batch(project, name="none")
    make_submitted(member, batch=done, image=make_image(project))
    make_submitted(member, batch=begun, image=make_image(project), status="draft", submitted_at=None)
    assert list(answered(project)) == [done]
