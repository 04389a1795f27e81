"""The gallery: filters, orders, neighbours, long prompts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from annotator.annotations.summaries import summarise
from annotator.data_sets.settings import DataSetSettings, save_settings
from annotator.gallery.comparing import compare
from annotator.gallery.filters import GalleryFilter, read_filter
from annotator.gallery.rows import SORTS, Gallery
from annotator.models import Image, ImageSummary, Membership, Project
from annotator.models.images import LESSONS
from annotator.models.prompts import of_prompt
from scoring.anatomy.protocol import ANATOMY
from scoring.prompts import LONGEST_KEY, LONGEST_PROMPT, prompt_key
from scoring.protocol import Protocol
from scoring.realism.protocol import REALISM
from tests.analysis.factories import make_submitted
from tests.analysis.reports.test_data_sets import Study as RatedStudy
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


def read(**given: str | list[str]) -> GalleryFilter:
    lists = {name: [value] if isinstance(value, str) else value for name, value in given.items()}
    found, problems = read_filter(lists, ANATOMY)
    assert problems == []
    return found


class Study:
    """Six images: two annotators, one shared image, one image without annotations, one deleted."""

    def __init__(self) -> None:
        self.project = make_project("pilot")
        self.a, self.b = (make_member(self.project, code=code) for code in ("ann1", "ann2"))
        self.batch = make_batch(self.project)
        self.images = {
            "one": self.image("painter", "one person", number=None),
            "two": self.image("painter", "one person", number=2, source_name="Zwei_Ä.png"),
            "three": self.image("painter", "two people", number=1),
            "four": self.image("sculptor", "one person", number=1),
            "new": self.image("sculptor", "two people", number=1, prompt_group="pair"),
        }
        self.image(LESSONS, "one person (drawn)")  # in no gallery
        self.rate("one", self.a, [("missing.torso", "1/1c")])  # 1
        self.rate("two", self.a, [("missing.limbs", "1/4a"), ("extra.hands", "1/2c")], flagged=True)  # 0.55
        self.rate("three", self.a, [("extra.hands", "1/2b")])  # 0.25
        self.rate("three", self.b, [("extra.hands", "1/2c"), ("extra.face", "1/1c")])  # 1.5
        self.rate("four", self.b, [])  # 0
        summarise(self.project.pk, [each.pk for each in self.images.values()], "anatomy")

    def image(self, generator: str, prompt: str, **fields: Any) -> Image:
        return make_image(self.project, generator=generator, prompt=prompt, **fields)

    def rate(self, name: str, who: Membership, marks: Sequence[tuple[str, str]], **fields: Any) -> None:
        row = make_submitted(who, marks, image=self.images[name], batch=self.batch, **fields)
        row.payload["note"] = f"Straße {name}"
        row.save()

    def gallery(self, sort: str = "", **given: str | list[str]) -> Gallery:
        return Gallery(self.project, "anatomy", read(**given), sort)

    def names(self, gallery: Gallery) -> list[str]:
        """The images by name, counted, and walked in both directions one at a time."""
        ids = gallery.first(99)
        assert gallery.count() == len(ids)
        for before, after in pairwise(ids):
            assert gallery.after(before, 1) == [after]
            assert gallery.before(after, 1) == [before]
            assert gallery.beside(before)[1] == after
        if ids:
            assert gallery.after(ids[-1], 1) == gallery.before(ids[0], 1) == []
            assert gallery.before(ids[-1], 99) == ids[:-1]
        by_pk = {image.pk: name for name, image in self.images.items()}
        return [by_pk[pk] for pk in ids]


@pytest.fixture
def study() -> Study:
    return Study()


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        # An image without a number comes after those with one.
        ("", ["two", "one", "three", "four", "new"]),
        ("high", ["one", "three", "two", "four", "new"]),
        ("low", ["four", "two", "three", "one", "new"]),
        ("disagreement", ["three", "one", "two", "four", "new"]),
        ("new", ["new", "four", "three", "two", "one"]),
    ],
)
def test_orders(study: Study, sort: str, names: list[str]) -> None:
    assert study.names(study.gallery(sort)) == names


@pytest.mark.few(20)
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"generator": ["sculptor", "painter"], "prompt": "two people"}, "new three"),
        ({"cell": "missing.torso"}, "one"),
        ({"cell": "extra.hands", "severity": "b"}, "three"),
        ({"part": "hands"}, "three two"),
        ({"cell": "extra.hands", "severity": "c", "annotator": "ann1"}, "two"),
        ({"annotator": "ann2"}, "four three"),
        ({"annotator": ["ann1", "ann2"]}, "three"),
        ({"score_min": "0.5", "score_max": "1"}, "three two"),
        ({"flagged": "1"}, "two"),
        ({"disagreement": "1"}, "three"),
        ({"adjudicated": "1"}, ""),
        ({"q": "zwei_"}, "two"),
        ({"q": "STRASSE four"}, "four"),
        ({"q": "straße", "generator": "painter"}, "one three two"),
        ({"q": "100%"}, ""),
    ],
)
def test_filters(study: Study, given: dict[str, Any], names: str, sort: str) -> None:
    assert sorted(study.names(study.gallery(sort, **given))) == names.split()


def compared(project: Project, prompt: str) -> list[tuple[str, float | None, int, list[float | None]]]:
    found = compare(project, "anatomy", prompt)
    return [
        (each["generator"], each["mean"], each["images"], [score for _, score, _ in each["shown"]])
        for each in found["columns"]
    ]


def test_generators_side_by_side(study: Study) -> None:
    assert compared(study.project, "one person") == [
        ("sculptor", 0.0, 1, [0.0]),
        ("painter", pytest.approx(0.775), 2, [pytest.approx(0.55), 1.0]),
    ]
    found = compare(study.project, "anatomy", "two people")
    assert (found["previous"], found["next"], found["generators"]) == ("one person", "", 2)
    assert [each["mean"] for each in found["columns"]] == [0.875, None]
    (_, _, cells), *_ = found["columns"][0]["shown"]
    assert cells == [(6, 18, "severe"), (6, 24, "severe")]
    assert [list(each["shown"][0][2]) for each in found["columns"][1:]] == [[]]


def test_consolidated_scores_order_filter_and_follow_the_number_of_invalid_votes() -> None:
    ratings = {"a": "1 1 1 8 8", "b": "1 1 1 8 9", "c": "x x 9 9 9", "d": "x x x 9 9", "e": "2 3"}
    study = RatedStudy({"p": ratings})
    study.images["real"] = study.image(
        "p", "real", "1 1 1 1 1", generator="camera", attributes={"source": "real"}
    )
    ids = [image.pk for image in study.images.values()]
    summarise(study.project.pk, ids, "realism")
    names = dict(zip(ids, study.images, strict=True))

    def found(sort: str = "low", **given: str) -> str:
        filter_, problems = read_filter({name: [value] for name, value in given.items()}, REALISM)
        assert problems == []
        return "".join(names[pk][0] for pk in Gallery(study.project, "realism", filter_, sort).first(9))

    # The first three score 8, 1 and 9; the others have no score, like the real image.
    assert (found(), found("high"), found("high", score_min="8")) == ("bacder", "cabder", "ca")
    assert found(score_min="1", score_max="1") == "b"
    # One annotator's own ratings.
    assert (found(annotator="r3", score_min="9"), found(annotator="r4", score_min="9")) == ("cd", "bcd")
    columns = compare(study.project, "realism", "p")["columns"]
    assert [
        (each["generator"], each["mean"], [score for _, score, _ in each["shown"]]) for each in columns
    ] == [("gA", 6.0, [9.0, 8.0, 1.0, None, None]), ("camera", None, [None])]
    # The image with two invalid votes loses its score, and has it again.
    for votes, scored in ((2, "ba"), (1, "ba"), (3, "bac")):
        save_settings(study.project, DataSetSettings(invalid_from=votes), None)
        assert found(score_min="1") == scored


def test_attributes_people_and_tags() -> None:
    study = Study()
    for name, attributes in (
        ("one", {"gender": "female", "2024": "a"}),
        ("two", {"gender": "male", "2024": "a"}),
        ("three", {"gender": "female", 'a "b" __c': "1=2"}),
    ):
        Image.objects.filter(pk=study.images[name].pk).update(attributes=attributes)
    study.project.tags = ["", "twinning"]
    summaries = ImageSummary.objects.filter(project=study.project)
    for name, code, people, tags in (("one", "", 2, 3), ("three", "", 5, 1), ("three", "ann1", 4, 2)):
        summaries.filter(image=study.images[name], code=code).update(people=people, tags=tags)

    def found(**given: str | list[str]) -> list[str]:
        return study.names(study.gallery("high", **given))

    assert found(attribute="gender=female") == ["one", "three"]
    assert found(attribute=["gender=female", "gender=male"]) == ["one", "three", "two"]
    assert found(attribute=["gender=female", "2024=a"]) == ["one"]
    assert found(attribute='a "b" __c=1=2', flagged="1") == found(attribute="gender=x") == []
    assert study.names(study.gallery(attribute='a "b" __c=1=2')) == ["three"]
    assert [found(people=band) for band in ("1", "2", "3–4", "5+")] == [[], ["one"], [], ["three"]]
    assert found(people="3–4", annotator="ann1") == found(tag="twinning", annotator="ann1") == ["three"]
    assert found(tag="twinning") == ["one"]
    assert found(tag="unknown") == []


def refused(
    given: dict[str, str | list[str]], protocol: Protocol = ANATOMY, *, counts_people: bool = True
) -> list[str]:
    lists = {name: [value] if isinstance(value, str) else value for name, value in given.items()}
    found, problems = read_filter(lists, protocol, counts_people=counts_people)
    assert not found.values.keys() & set(given)
    assert all("without this filter" in text for text, _ in problems)
    return [code for _, code in problems]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"cell": "missing.tail"}, "bad-cell"),
        ({"score_min": "much"}, "bad-score_min"),
        ({"flagged": "yes"}, "bad-flagged"),
        ({"q": "x" * 401}, "bad-q"),
        ({"attribute": ["a=b", "=b"]}, "bad-attribute"),
        ({"people": "3"}, "bad-people"),
    ],
)
def test_values_that_no_filter_has(given: dict[str, str | list[str]], code: str) -> None:
    assert refused(given) == [code]


def test_scores() -> None:
    assert read(score_min="1.5").scores == (1.5, None)
    assert read(score_min="1", score_max="2").scores == (1.0, 2.0)
    # Halves are rounded up or down: 3.125 is shown as 3.12, and 1.575 as 1.57.
    for shown, score in (("1.93", 1.925), ("1.93", 1.9349), ("3.12", 3.125), ("1.57", 1.575)):
        low, high = read(score_min=shown, score_max=shown).scores
        assert low is not None
        assert high is not None
        assert low <= score < high
        assert high - low == pytest.approx(0.01)
    assert not read(generator="", prompt=" ", severity="")


# Nothing repeats, so that no database can compress it into an index row; 12,000 bytes.
BEGINNING = "".join(chr(number) for number in random.Random(7).sample(range(0x10000, 0x20000), 2999))
LONG, OTHER = f"{BEGINNING}a", f"{BEGINNING}b"
KEPT = "x" * LONGEST_KEY


def gallery(project: Project, prompt: str) -> list[int]:
    found = read(prompt=prompt)
    assert max(map(len, found.many("prompt"))) <= LONGEST_KEY
    return Gallery(project, "anatomy", found).first(9)


@pytest.mark.databases
def test_prompts_that_differ_in_their_last_character_are_two(project: Project) -> None:
    images = [make_image(project, prompt=prompt, number=1) for prompt in (LONG, OTHER, KEPT, f"{KEPT}y")]
    assert [len(image.prompt) for image in images[:2]] == [LONGEST_PROMPT] * 2
    for image in images:
        assert gallery(project, image.prompt) == gallery(project, prompt_key(image.prompt)) == [image.pk]
        assert list(project.images.filter(of_prompt(image.prompt))) == [image]
        with pytest.raises(IntegrityError), transaction.atomic():
            make_image(project, prompt=image.prompt, generator=image.generator, number=1)


@pytest.mark.databases
def test_the_prompt_before_and_after(project: Project) -> None:
    for number, prompt in enumerate((LONG, OTHER, "a short one"), start=1):
        make_image(project, prompt=prompt, number=number)
    first, second = sorted((LONG, OTHER), key=prompt_key)
    found = compare(project, "anatomy", first)
    assert (found["previous"], found["next"]) == ("a short one", second)
    columns = compare(project, "anatomy", prompt_key(second))["columns"]
    assert [column["images"] for column in columns] == [1]


@pytest.mark.databases
def test_databases_and_python_compute_the_same_key_from_an_index(project: Project) -> None:
    for prompt in (LONG, KEPT, f"{KEPT}y", "", "Ä🙂"):
        make_image(project, prompt=prompt, number=None)
    rows = Image.objects.values_list("prompt", "prompt__key")
    assert dict(rows) == {prompt: prompt_key(prompt) for prompt, _ in rows}
    # PostgreSQL does not look into an index for five rows.
    if connection.vendor == "sqlite":
        plan = Image.objects.filter(of_prompt(LONG), project=project).order_by().explain()
        assert "image_prompt" in plan
