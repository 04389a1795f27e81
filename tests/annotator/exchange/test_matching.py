"""Which file shows what."""

from __future__ import annotations

import pytest

from annotator.exchange.formats.manifest import ManifestEntry
from annotator.exchange.formats.report import RejectedFile, RowNote, StudyRefused
from annotator.exchange.formats.sheet import read_sheet
from annotator.exchange.matching import Matching, place_files
from annotator.exchange.study_files import find_files
from tests.annotator.exchange.conftest import StudyFolder, picture, sheet_row

HUG = "sdxl_couple hugging"


def plan(study: StudyFolder, *entries: ManifestEntry, rows: tuple[dict[str, str], ...] = ()) -> Matching:
    named = {entry.file: entry for entry in entries}
    files, _, named = find_files(study.path.resolve(), named)
    sheet_rows = read_sheet(study.sheet(*rows)).rows if rows else ()
    return place_files(files, named, sheet_rows, {"couplehugging": "pair"})


def placed(result: Matching) -> dict[str, tuple[str, str, int | None]]:
    return {
        placement.file.parts[-1]: (placement.generator, placement.prompt, placement.number)
        for placement in result.placements
    }


def test_without_annotations_the_folders_speak(study: StudyFolder) -> None:
    study.image("sdXL/couple_hugging/hug_018.png")
    study.image("sdXL/couple_hugging/none.png")
    result = plan(study)
    assert placed(result) == {
        "hug_018.png": ("sdXL", "couple hugging", 18),
        "none.png": ("sdXL", "couple hugging", None),
    }
    assert {placement.prompt_group for placement in result.placements} == {"pair"}
    assert (result.notes, result.rejected) == ((), ())


def test_names_are_spelt_as_the_sheet_spells_them(study: StudyFolder) -> None:
    study.image("stable_cascade/old_couple_in_sauna/SC_sauna_01.png")
    result = plan(study, rows=(sheet_row("stablecascade_Old couple in sauna_01"),))
    assert placed(result) == {"SC_sauna_01.png": ("stablecascade", "Old couple in sauna", 1)}


def test_folders_that_differ_in_spelling_alone_are_one(study: StudyFolder) -> None:
    study.image("SDXL/hug/1.png")
    study.image("sdXL/hug/2.png")
    assert placed(plan(study)) == {"1.png": ("SDXL", "hug", 1), "2.png": ("SDXL", "hug", 2)}


def test_the_one_odd_number_is_taken_for_the_one_missing(study: StudyFolder) -> None:
    for number in ("01", "018", "02"):
        study.image(f"sdXL/couple_hugging/hug_{number}.png")
    result = plan(study, rows=tuple(sheet_row(f"{HUG}_0{number}") for number in (1, 8, 2, 8)))
    assert placed(result) == {
        "hug_01.png": ("sdxl", "couple hugging", 1),
        "hug_018.png": ("sdxl", "couple hugging", 8),
        "hug_02.png": ("sdxl", "couple hugging", 2),
    }
    reason = (
        "treated as number 8: no file of “sdxl”, “couple hugging” has that number, "
        "and this is the only one whose number (018) no row knows"
    )
    assert result.notes == (RowNote(3, "Pic Num.", "hug_018.png", reason),)


@pytest.mark.parametrize(
    ("files", "numbers", "expected"),
    [
        (("018", "028"), (8,), (18, 28)),
        (("018",), (7,), (18,)),
        (("018", "8"), (8,), (18, 8)),
        (("118",), (8, 18), (118,)),
        (("018",), (18, 8), (18,)),
    ],
    ids=["two odd", "other ending", "present", "two missing fit", "number known"],
)
def test_what_is_ambiguous_is_left_alone(
    study: StudyFolder, files: tuple[str, ...], numbers: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    for digits in files:
        study.image(f"sdXL/couple_hugging/hug_{digits}.png")
    result = plan(study, rows=tuple(sheet_row(f"{HUG}_{number}") for number in numbers))
    assert {placement.number for placement in result.placements} == set(expected)
    assert result.notes == ()


def test_two_files_of_one_number_have_none(study: StudyFolder) -> None:
    for name in ("a_1.png", "b_1.png", "c_2.png"):
        study.image(f"sdXL/couple_hugging/{name}")
    result = plan(study, rows=(sheet_row(f"{HUG}_01"),))
    assert {name: number for name, (_, _, number) in placed(result).items()} == {
        "a_1.png": None,
        "b_1.png": None,
        "c_2.png": 2,
    }
    reason = "number 1 is also that of {}: imported without a number; use a manifest to number them"
    assert result.notes == (
        RowNote(2, "Pic Num.", "a_1.png", reason.format("b_1.png")),
        RowNote(2, "Pic Num.", "b_1.png", reason.format("a_1.png")),
    )


def test_copies_of_one_file_keep_their_number(study: StudyFolder) -> None:
    study.image("sdXL/hug/a_1.png", picture(7))
    study.image("sdXL/hug/b_1.png", picture(7))
    result = plan(study)
    assert [placement.number for placement in result.placements] == [1, 1]
    assert result.notes == ()


def test_the_manifest_overrides(study: StudyFolder) -> None:
    study.image("loose.png")
    study.image("sdXL/hug/a_1.png")
    study.image("sdXL/hug/b_1.png")
    entries = (
        ManifestEntry(2, "loose.png", "sdXL", "hug", 5, "two", {"camera": "wide"}),
        ManifestEntry(3, "sdXL/hug/b_1.png", "", "", 2),
        ManifestEntry(4, "sdXL/hug/a_1.png", "", "", None),
    )
    result = plan(study, *entries)
    assert placed(result) == {
        "loose.png": ("sdXL", "hug", 5),
        "a_1.png": ("sdXL", "hug", 1),
        "b_1.png": ("sdXL", "hug", 2),
    }
    loose = result.placements[0]
    assert (loose.prompt_group, loose.attributes, loose.firm) == ("two", {"camera": "wide"}, True)


def test_a_number_of_the_manifest_beats_one_of_a_name(study: StudyFolder) -> None:
    study.image("sdXL/hug/a_1.png")
    study.image("sdXL/hug/b.png")
    result = plan(
        study,
        ManifestEntry(2, "sdXL/hug/b.png", "", "", 1),
        ManifestEntry(3, "sdXL/hug/a_1.png", "", "", None),
    )
    assert placed(result) == {"a_1.png": ("sdXL", "hug", None), "b.png": ("sdXL", "hug", 1)}
    assert [note.text for note in result.notes] == ["a_1.png"]


def test_the_manifest_must_not_contradict_itself(study: StudyFolder) -> None:
    study.image("sdXL/hug/a.png")
    study.image("sdXL/hug/b.png")
    with pytest.raises(StudyRefused) as caught:
        plan(
            study,
            ManifestEntry(2, "sdXL/hug/a.png", "", "", 1),
            ManifestEntry(3, "sdXL/hug/b.png", "SDXL", "Hug", 1),
        )
    assert "Rows 2 and 3 of the manifest" in str(caught.value)
    assert "(SDXL, Hug, 1)" in str(caught.value)


def test_files_without_a_name_to_go_by(study: StudyFolder) -> None:
    study.image("loose.png")
    study.image("__/hug/1.png")
    study.image(f"{'g' * 121}/hug/1.png")
    result = plan(
        study,
        ManifestEntry(2, "loose.png", "sdXL", "", 1),
        ManifestEntry(3, "__/hug/1.png", "", "", None),
        ManifestEntry(4, f"{'g' * 121}/hug/1.png", "", "", None),
    )
    assert result.placements == ()
    assert set(result.rejected) == {
        RejectedFile("images/loose.png", "its prompt is in neither the folders nor the manifest"),
        RejectedFile("images/__/hug/1.png", "its generator is in neither the folders nor the manifest"),
        RejectedFile(f"images/{'g' * 121}/hug/1.png", "the name of its generator or prompt is too long"),
    }
