"""Files of detections: what is read, and that a wrong row is named and stores nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from analysis.data.metrics import check_metrics
from annotator.batches.designs import Selection, images_of, left_out_of
from annotator.data_sets.detections import check_detections
from annotator.data_sets.filtering import counts_of, filtered_images, store_detections, take_back
from annotator.data_sets.settings import DataSetSettings, save_settings, settings_of
from annotator.exchange import image_rows
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats import image_tables
from annotator.exchange.formats.image_tables import read_image_table
from annotator.exchange.formats.report import StudyRefused
from annotator.models import Event, Image, Project, Screening
from scoring.data_sets.filters import Detected, Filters
from scoring.data_sets.splits import InvalidSplits, Splitting
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db
HEADER = "file,persons,classes,person_confidence,moderation"


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


@pytest.fixture
def images(project: Project) -> list[Image]:
    return [make_image(project, source_name=f"a/{n}.png", number=n, prompt=f"a woman {n}") for n in range(4)]


def written(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "detections.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return path


def test_images_by_name_and_by_content(project: Project, images: list[Image], tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a/0.png,1,person;dog;person,0.99,violence=0.1; nudity=0.93",
        "1.png,0,0,,",
        f"{images[2].sha256},4,4,0.5,0.2",
        header="file,persons,classes,person_confidence,moderation",
    )
    text = path.read_text().replace(images[2].sha256, "a/2.png")
    path.write_text(text)
    assert check_detections(path, project).found == {
        images[0].pk: Detected(1, 2, 0.99, 0.93),
        images[1].pk: Detected(0, 0, 0.0, None),
        images[2].pk: Detected(4, 4, 0.5, 0.2),
    }
    by_content = written(tmp_path, f"{images[3].sha256.upper()},2", header="sha256,persons")
    assert check_detections(by_content, project).found == {images[3].pk: Detected(2)}


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("a/1.png,1,1,NaN,0", "person_confidence", "“NaN” is not a number from 0 to 1"),
        ("a/1.png,1,1,0.9,-0.1", "moderation", "“-0.1” is not a number from 0 to 1"),
        ("a/1.png,1,1,0.9,inf", "moderation", "“inf” is not a number from 0 to 1"),
        ("a/1.png,-1,1,0.9,0", "persons", "“-1” is not a whole number from 0 to 10,000"),
        ("a/1.png,1e300,1,0.9,0", "persons", "“1e300” is not a whole number from 0 to 10,000"),
        ("a/1.png,99999999999999999999,1,0.9,0", "persons", "is not a whole number"),
        ("a/1.png,1,nan,0.9,0", "classes", "“nan” is not a whole number from 0 to 10,000"),
        ("a/1.png,1,2.5,0.9,0", "classes", "“2.5” is not a whole number from 0 to 10,000"),
        ("a/1.png,1,1,,0", "person_confidence", "empty, but there are persons"),
        ("a/1.png,1,1,0.9,1e9", "moderation", "is not a number from 0 to 1"),
        ("b/9.png,1,1,0.9,0", "file", "there is no image “b/9.png”"),
        (",1,1,0.9,0", "file", "names no image"),
        ("0.png,1,1,0.9,0", "file", "the image already has row 2; keep one of them"),
        ("a/1.png,1,1", "person_confidence", "empty, but there are persons"),
        ("a/1.png,1,1,0.9,0,9", "", "the row has 6 cells, the header 5"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_stored(
    project: Project, images: list[Image], tmp_path: Path, row: str, column: str, reason: str
) -> None:
    path = written(tmp_path, "a/0.png,9,1,0.99,0", row)
    checked = check_detections(path, project)
    assert [(note.row, note.column) for note in checked.refused] == [(3, column)]
    assert reason in checked.refused[0].reason
    with pytest.raises(CommandError, match="row 3"):
        call_command("import_detections", path, project="pilot")
    assert not Screening.objects.exists()


def test_a_file_takes_neither_the_memory_of_the_worker_nor_its_rows(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, *["x" * 30_000] * 2_000, header="file,persons,other")
    monkeypatch.setattr(image_rows, "read_in_child", partial(read_in_child, memory=100 * 1024 * 1024))
    for read in (check_detections, check_metrics):
        with pytest.raises(StudyRefused) as refused:
            read(path, project)
        assert refused.value.code == "too_much_memory"


def test_only_the_columns_of_detections_come_back_and_few_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "1.png,a,2", "2.png,b,3", header="file,other,persons")
    monkeypatch.setattr(image_tables, "MOST_IMAGE_ROWS", 2)
    table = read_image_table(path, required=("persons",), optional=("file",))
    assert [record.values for record in table.records] == [
        {"file": "1.png", "persons": "2"},
        {"file": "2.png", "persons": "3"},
    ]
    monkeypatch.setattr(image_tables, "MOST_IMAGE_ROWS", 1)
    with pytest.raises(StudyRefused, match="more than 1 rows") as refused:
        read_image_table(path, required=("persons",), optional=("file",))
    assert refused.value.code == "too_many_rows"


def test_two_images_of_one_name(project: Project, tmp_path: Path) -> None:
    for folder in "ab":
        make_image(project, source_name=f"{folder}/1.png")
    checked = check_detections(written(tmp_path, "1.png,1,1,0.9,0"), project)
    assert [note.reason for note in checked.refused] == [
        "“1.png” matches 2 images (a/1.png, b/1.png): give generator, prompt and number"
    ]


def test_two_projects_with_the_same_pictures(project: Project, images: list[Image], tmp_path: Path) -> None:
    twin = make_image(make_project("twin"), sha256=images[0].sha256)
    path = written(tmp_path, f"{twin.sha256},5", header="sha256,persons")
    call_command("import_detections", path, project="pilot")
    assert [row.image for row in Screening.objects.all()] == [images[0]]


@pytest.mark.parametrize(
    ("header", "words"),
    [("persons,classes", "has no column that names the image"), ("file,width", "has none of the columns")],
)
def test_files_that_are_no_detections(project: Project, tmp_path: Path, header: str, words: str) -> None:
    with pytest.raises(StudyRefused, match=words):
        check_detections(written(tmp_path, "1,2", header=header), project)


@pytest.mark.databases
def test_excluded_images_keep_their_reasons_and_can_be_taken_back(
    project: Project, images: list[Image]
) -> None:
    found = {images[0].pk: Detected(9, 1, 0.9, 0.0), images[1].pk: Detected(1, 1, 0.99, 0.95)}
    counts = store_detections(project, found, actor=None, name="d.csv")
    assert counts == {"detected": 2, "excluded": 2, "persons": 1, "confidence": 1, "moderation": 1}
    assert list(filtered_images(project, "moderation")) == [images[1]]
    assert list(images_of(project, Selection(), "anatomy").order_by("pk")) == images[2:]
    assert left_out_of(project, Selection(), "anatomy") == {"excluded": 2, "real": 0}

    assert take_back(project, [images[0].public_id, images[2].public_id], kept=True, actor=None) == 1
    assert counts_of(project) == {"detected": 2, "excluded": 1, "kept": 1, "moderation": 1}
    # The same file again changes nothing, and takes nothing away from a lead's decision.
    events = Event.objects.count()
    store_detections(project, found, actor=None)
    assert Event.objects.count() == events
    assert list(filtered_images(project, kept=True)) == [images[0]]
    assert images[0] in images_of(project, Selection(), "anatomy")
    assert take_back(project, [images[0].public_id], kept=False, actor=None) == 1
    assert counts_of(project)["excluded"] == 2


def test_words_of_prompts(project: Project, images: list[Image]) -> None:
    horse = make_image(project, prompt="a horse")
    photo = make_image(project, prompt="a horse", attributes={"source": "real"}, generator="camera")
    save_settings(project, DataSetSettings(Filters(words=("woman",))), None)
    assert store_detections(project, {}, actor=None) == {"detected": 1, "excluded": 1, "words": 1}
    assert list(filtered_images(project)) == [horse]
    assert photo in images_of(project, Selection(), "anatomy")
    save_settings(project, DataSetSettings(), None)
    assert store_detections(project, {}, actor=None) == {"detected": 1}


def test_real_pictures_are_rated_only_as_checks(project: Project, images: list[Image]) -> None:
    photos = [make_image(project, attributes={"source": "real"}, generator="camera") for _ in range(3)]
    assert list(images_of(project, Selection(), "realism").order_by("pk")) == images
    assert left_out_of(project, Selection(), "realism") == {"excluded": 0, "real": 3}
    some = images_of(project, Selection(real=2), "realism").filter(generator="camera")
    assert sorted(row.sha256 for row in some) == sorted(row.sha256 for row in photos)[:2]
    assert left_out_of(project, Selection(real=2), "realism") == {"excluded": 0, "real": 1}
    assert images_of(project, Selection(), "anatomy").count() == 7


def test_settings_are_kept_and_a_named_prompt_must_exist(project: Project, images: list[Image]) -> None:
    wanted = DataSetSettings(splitting=Splitting(7, 0.2, 0.1, {"a woman 1": "test"}), most_pairs=10)
    assert settings_of(project) == DataSetSettings()
    assert save_settings(project, wanted, None)
    assert not save_settings(project, wanted, None)
    assert settings_of(project) == wanted
    with pytest.raises(InvalidSplits, match="No image of this project has the prompt “a mouse”"):
        save_settings(project, DataSetSettings(splitting=Splitting(named={"a mouse": "test"})), None)
    assert settings_of(project) == wanted


HEX = {"postgresql": "lpad(to_hex(n), 32, '0')::uuid", "sqlite": "printf('%032x', n)"}


def multiply(image: Image, count: int) -> list[str]:
    """Store as many further images, each with a prompt of its own; return the prompts."""
    columns = [field.attname for field in Image._meta.concrete_fields if not field.primary_key]
    own = {"public_id": HEX[connection.vendor], "sha256": "'sha ' || n", "prompt": "'a woman, take ' || n"}
    with connection.cursor() as cursor:
        cursor.execute(
            f"""INSERT INTO annotator_image ({", ".join(columns)})
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
            SELECT {", ".join(own.get(name, name) for name in columns)} FROM annotator_image, numbers
            WHERE id = {image.pk}"""
        )
    return [f"a woman, take {n}" for n in range(1, count + 1)]


@pytest.mark.databases
def test_every_prompt_of_a_large_project_can_be_named(project: Project) -> None:
    prompts = multiply(make_image(project, number=1), 31_000)
    wanted = DataSetSettings(splitting=Splitting(named=dict.fromkeys(prompts, "test")))
    given: list[int] = []

    def counted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        given.append(len(params or ()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(counted):
        assert save_settings(project, wanted, None)
    # SQLite takes from 999 to 250,000 values in one query, depending on how it was built.
    assert max(given) < 999
    assert settings_of(project) == wanted
    further = DataSetSettings(splitting=Splitting(named=dict.fromkeys([*prompts, "a mouse"], "test")))
    with pytest.raises(InvalidSplits, match="No image of this project has the prompt “a mouse”"):
        save_settings(project, further, None)
    assert settings_of(project) == wanted
