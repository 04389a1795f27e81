"""The command that writes the study's numbers beside ours."""

from __future__ import annotations

from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.data.study import skipped_terms
from annotator.management.arguments import UnknownProject
from annotator.models import Annotation, Project
from tests.analysis.factories import make_small_study
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("study")
    make_small_study(project)
    return project


def test_the_page_goes_to_a_file(project: Project, tmp_path: Path) -> None:
    output = tmp_path / "reproduction.md"
    said = StringIO()
    call_command("reproduce", project=project.slug, output=str(output), stdout=said)
    assert said.getvalue() == f"{output} written\n"
    page = output.read_text(encoding="utf-8")
    assert page.startswith("# The published study, reproduced\n")
    assert "7 annotations of 4 images. 0 unreadable terms" in page


def test_the_page_goes_to_standard_output(project: Project) -> None:
    said = StringIO()
    call_command("reproduce", project=project.slug, stdout=said)
    assert said.getvalue().startswith("# The published study, reproduced\n")
    assert said.getvalue().endswith("|\n")


def test_unreadable_terms_come_from_the_kept_rows(project: Project) -> None:
    annotation = Annotation.objects.earliest("pk")
    annotation.source = {
        "problems": [
            {"row": 2, "column": "1. Missing Error-1.1 Torso", "text": "1/5", "reason": "no severity"},
            {"row": 2, "column": "1. Missing Error-1.2 Limbs", "text": "1/4c,", "reason": "a comma too many"},
        ]
    }
    annotation.save()
    (term,) = skipped_terms(project)
    assert (term.image, term.annotator) == (
        annotation.assignment.image_id,
        annotation.assignment.annotator.code,
    )
    assert term.fraction == Fraction(1, 5)


def test_what_is_in_the_way_is_named(project: Project, tmp_path: Path) -> None:
    with pytest.raises(UnknownProject):
        call_command("reproduce", project="other")
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        call_command("reproduce", project=project.slug, output=str(tmp_path / "no" / "page.md"))
    empty = make_project("empty")
    with pytest.raises(CommandError, match="has no submitted annotations"):
        call_command("reproduce", project=empty.slug)
