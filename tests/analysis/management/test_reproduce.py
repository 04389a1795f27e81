"""The command that prints the study's numbers beside ours."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "reproduction.md"


@pytest.mark.study
def test_it_prints_the_committed_page(study_data: Path) -> None:
    said = StringIO()
    call_command("reproduce", str(study_data), stdout=said)
    assert said.getvalue() == PAGE.read_text(encoding="utf-8")


def test_a_folder_without_the_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("reproduce", str(tmp_path))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "annotations.csv").write_text("Model,Prompt\nother,cat\n", encoding="utf-8")
    with pytest.raises(CommandError, match="does not have the prompts of the published study"):
        call_command("reproduce", str(tmp_path))
