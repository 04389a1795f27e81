"""The manifest and the prompt groups."""

from __future__ import annotations

import pytest

from annotator.exchange.formats.manifest import (
    ManifestEntry,
    find_manifest,
    find_prompt_groups,
    read_manifest,
    read_prompt_groups,
)
from annotator.exchange.formats.report import StudyRefused
from annotator.inputs.plain_text import TURNS
from tests.annotator.exchange.conftest import StudyFolder

HEADER = "file,generator,prompt,number\n"


def test_entries_by_file(study: StudyFolder) -> None:
    path = study.file(
        "manifest.csv",
        "file,generator,prompt,number,prompt_group,camera\n"
        "a.png,gen,one person,3,individual,wide\n"
        "images/x/y/b.png,,,,,\n"
        "x\\y\\c.png,gen,one person,04,,\n",
    )
    assert read_manifest(path) == {
        "a.png": ManifestEntry(2, "a.png", "gen", "one person", 3, "individual", {"camera": "wide"}),
        "x/y/b.png": ManifestEntry(3, "x/y/b.png", "", "", None),
        "x/y/c.png": ManifestEntry(4, "x/y/c.png", "gen", "one person", 4),
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (",g,p,1", "file is empty"),
        ("../a.png,g,p,1", "“../a.png” points outside the study's folder"),
        ("/etc/a.png,g,p,1", "“/etc/a.png” points outside the study's folder"),
        ("C:\\a.png,g,p,1", "“C:\\a.png” points outside the study's folder"),
        ("a.png,g,p,one", "number “one” is not a whole number"),
        ("a.png,g\u202e,p,1", f"generator {TURNS}"),
        ("a.png,g,p\u2066,1", f"prompt {TURNS}"),
        (f"a.png,{'g' * 121},p,1", "generator is longer than 120 characters"),
        (f"a.png,g,{'p' * 3001},1", "prompt is longer than 3000 characters"),
        ("a.png,g,p", "the row has 3 cells, the header 4"),
        ("b.png,g,p,2\nimages/b.png,g,p,3", "b.png is already named in row 2"),
    ],
)
def test_faults_name_the_row(study: StudyFolder, line: str, message: str) -> None:
    path = study.file("manifest.csv", HEADER + line + "\n")
    with pytest.raises(StudyRefused) as caught:
        read_manifest(path)
    assert str(caught.value) == f"manifest.csv, row {2 + line.count(chr(10))}: {message}."


def test_prompts_are_written_from_right_to_left_and_groups_not_turned_round(study: StudyFolder) -> None:
    path = study.file("manifest.csv", HEADER + "a.png,g,\u200fשני אנשים\u200e,1\n")
    assert read_manifest(path)["a.png"].prompt == "\u200fשני אנשים\u200e"
    with pytest.raises(StudyRefused, match=r"groups.csv, row 2: group contains a character that changes"):
        read_prompt_groups(study.file("groups.csv", "prompt,group\nhug,p\u202eair\n"))


def test_where_it_is_looked_for(study: StudyFolder) -> None:
    assert find_manifest(study.path, None) is None
    outer = study.file("manifest.csv", HEADER)
    assert find_manifest(study.path, None) == outer
    inner = study.file("images/manifest.csv", HEADER)
    assert find_manifest(study.path, None) == inner
    assert find_manifest(study.path, outer) == outer


def test_prompt_groups(study: StudyFolder) -> None:
    assert find_prompt_groups(study.path, None) is None
    published = read_prompt_groups(None)
    assert len(published) == 10
    assert published["oldcoupleinsauna"] == "pair"
    path = study.file("data/prompt_groups.csv", "Prompt;Group\nOld couple in sauna;two\nnew prompt;three\n")
    assert find_prompt_groups(study.path, None) == path
    groups = read_prompt_groups(path)
    assert (groups["oldcoupleinsauna"], groups["newprompt"], groups["personjogging"]) == (
        "two",
        "three",
        "individual",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (",a", "prompt is empty"),
        ("a", "the row has 1 cells, the header 2"),
        (f"a,{'g' * 81}", "group is longer than 80 characters"),
    ],
)
def test_faults_of_prompt_groups(study: StudyFolder, line: str, message: str) -> None:
    path = study.file("groups.csv", f"prompt,group\n{line}\n")
    with pytest.raises(StudyRefused) as caught:
        read_prompt_groups(path)
    assert str(caught.value) == f"groups.csv, row 2: {message}."
