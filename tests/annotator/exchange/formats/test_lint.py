"""What could have been meant, and what nobody can guess."""

from __future__ import annotations

import pytest

from annotator.exchange.formats.lint import lint
from annotator.exchange.formats.sheet import read_sheet
from tests.annotator.exchange.conftest import StudyFolder, sheet_row

LIMBS = "1. Missing Error-1.2 Limbs"


@pytest.mark.parametrize(
    ("text", "kind", "suggestion"),
    [
        ("14c", "missing slash", "1/4c"),
        ("112c", "missing slash", "1/12c"),
        ("1\\4b", "other characters", "1/4b"),
        ("１/４b", "other characters", "1/4b"),
        ("1/4\u00a0b", "other characters", "1/4b"),
        ("1/4b.", "other characters", "1/4b"),
        ("1,0/4,0b", "decimals", "1/4b"),
        ("1.0/4b", "decimals", "1/4b"),
        ("4/1b", "swapped", "1/4b"),
        ("1c/5c", "severity twice", "1/5c"),
        ("b1/4", "severity first", "1/4b"),
        ("1 of 4b", "other separator", "1/4b"),
        ("1/4 severe", "severity in words", "1/4c"),
        ("1/4b;2/4c", "missing comma", "1/4b,2/4c"),
        ("1/04b", "leading zero", "1/4b"),
        ("1/4 d", "unknown severity", None),
        ("1/5", "missing severity", None),
        ("5-Jan", "date", None),
        ("2026-01-05 00:00:00", "date", None),
        ("4b", "missing total", None),
        ("0/4b", "affected 0", None),
        ("1/0b", "total 0", None),
        ("100/200a", "number too large", None),
        ("1c/5b", "not understood", None),
        ("9" * 5000 + "/1a", "number too large", None),
    ],
)
def test_each_slip_has_its_meaning(study: StudyFolder, text: str, kind: str, suggestion: str | None) -> None:
    sheet = read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells={"missing.limbs": text})))
    findings = lint(sheet)
    assert [(each.row, each.column, each.kind, each.suggestion) for each in findings] == [
        (2, LIMBS, kind, suggestion)
    ]


def test_what_is_well_formed_has_no_findings(study: StudyFolder) -> None:
    assert (
        lint(read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells={"missing.limbs": "1/4C , 2/4a"})))) == ()
    )
