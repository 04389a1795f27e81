"""Cells and links of tables, what reports say, and methods: from numbers made by hand and from results."""

from __future__ import annotations

import re
from typing import Any

import pytest

from analysis.data.versions import program_version
from analysis.models import KEPT_UP_TO_DATE
from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.reports.lifecycle import request_report, run_report
from analysis.sections import page_of_report
from analysis.stats.comparison import AT_LIMIT
from analysis.stats.comparison.generators import LOG
from analysis.stats.comparison.generic import comparison
from analysis.stats.estimates import estimate as estimated
from analysis.stats.estimates import refused
from analysis.stats.generic.agreement import agreement_of_values as agreement
from analysis.stats.generic.tables import ResultColumn, finding, rows_of, table
from analysis.tables.blinding import answered
from analysis.tables.comparison.sentences import SENTENCES as COMPARISON_SENTENCES
from analysis.tables.comparison.sentences import comparison_methods, scope
from analysis.tables.generic import SENTENCES, result_findings
from analysis.tables.links import filter_of
from analysis.tables.listed import line_of
from analysis.tables.project_methods import project_methods
from analysis.tables.wording import rounded
from annotator.models import Project
from scoring.grid.taxonomy import BODY_PARTS
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import make_mixed
from tests.analysis.stats.comparison.test_comparison import ANSWERS
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import presence, stars
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.4375, 2, "0.44"),
        (-0.054, 2, "−0.05"),
        (-0.001, 2, "0.00"),
        (-1234.56, 1, "−1,234.6"),
        (-10.0, 0, "−10"),
    ],
)
def test_rounding(value: float, places: int, text: str) -> None:
    assert rounded(value, places) == text


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Generator", "sdxl", (("generator", "sdxl"),)),
        ("Prompt group", "pair", (("prompt_group", "pair"),)),
        ("Generators", "a – b", (("generator", "a"), ("generator", "b"))),
        ("Annotators", "ann1 – ann2", (("annotator", "ann1"), ("annotator", "ann2"))),
        ("Agreement on", "Cells", (("disagreement", "1"),)),
        ("Error type", "Missing", (("type", "missing"),)),
        ("Body part", "Face", (("part", "face"),)),
        ("Cell", "Missing · Torso", (("cell", "missing.torso"),)),
        ("Part of the grid", "hands", (("part", "hands"),)),
        ("Severity", "moderate", (("severity", "b"),)),
        ("Severity", "high", ()),
        ("Prompt", "(none)", ()),
        ("Coefficient", "sdxl", ()),
    ],
)
def test_names(title: str, text: str, found: tuple[tuple[str, str], ...]) -> None:
    assert filter_of(title, text) == found


def test_only_batches_with_submitted_answers_count() -> None:
    project = make_project()
    member = make_member(project)
    done, begun = make_batch(project, name="done"), make_batch(project, name="begun")
    make_batch(project, name="none")
    make_submitted(member, batch=done, image=make_image(project))
    make_submitted(member, batch=begun, image=make_image(project), status="draft", submitted_at=None)
    assert list(answered(project)) == [done]


Values = dict[str, Any]
NEEDED: Values = {"width": 0.1, "needed": 1305, "low": 560, "high": 4420}
RUNGS = ("both", "same_affected", "same_total", "same_severity")
ABOUT_SCORE = ("headline_alpha", "other_annotators", "images_needed", "pair_range")


def estimate(value: float | None, low: float | None = None, high: float | None = None, **more: Any) -> Values:
    refused = "too few: 3 of 5" if value is None or low is None else None
    about = {"n_units": 60, "n_coders": 4, "refused": refused, **more}
    return {"value": value, "low": low, "high": high, **about}


def made(name: str, columns: str, *rows: list[Any]) -> Values:
    return table(name, name, "", [ResultColumn(column, column) for column in columns.split()], rows)


def result(score: Values, others: Values | None = None) -> Values:
    cells, shares = estimate(0.45, 0.38, 0.51), [estimate(value) for value in (0.9, 0.8, 0.2, 0.1)]
    pairs = [
        [["b", "c"], "Score", estimate(-0.05, -0.66, 0.56), 7],
        [["b", "c"], "Cells", estimate(0.9, 0.8, 0.95), 7],
        [["a", "b"], "Score", estimate(0.83, 0.58, 1.0), 12],
    ]
    return {
        "settings": {"images_needed": NEEDED},
        "tables": [
            made(
                "agreement",
                "variable level pooled others mean_of_pairs images",
                ["Score", "interval", score, others or estimate(0.55), 0.39, 60],
                ["Cells", "nominal", cells, estimate(None), None, 60],
                ["Cells: AC1", None, cells, None, None, 60],
            ),
            made("pairs", "annotators variable agreement images", *pairs),
            made("ladder", f"part either {' '.join(RUNGS)}", ["All cells", 436, *shares]),
        ],
        "findings": [
            *(finding(code, "agreement", 0) for code in ABOUT_SCORE),
            *(finding("alpha", "agreement", row) for row in (1, 2)),
            finding("ladder", "ladder", 0),
        ],
    }


@pytest.mark.parametrize(
    ("low", "value", "high", "kind", "words"),
    [
        (0.82, 0.9, 0.95, "clear", "this is reliable: the whole interval is at least 0.800."),
        (0.7, 0.8, 0.9, "clear", "this is enough for tentative conclusions (at least 0.667)."),
        (0.3, 0.55, 0.72, "open", "tentative conclusions need 0.667, which the interval includes."),
        (0.1, 0.3, 0.5, "clear", "this is too low even for tentative conclusions (below 0.667)."),
        (None, 0.5, None, "refused", "Score: alpha is 0.50 over 60 images; no interval: too few: 3 of 5."),
        (None, None, None, "refused", "Score: alpha is not defined: too few: 3 of 5."),
    ],
)
def test_the_first_sentence(
    low: float | None, value: float | None, high: float | None, kind: str, words: str
) -> None:
    first = result_findings(result(estimate(value, low, high)))[0]
    assert first.kind == kind
    assert first.text.endswith(words)


def test_every_sentence() -> None:
    found = result_findings(result(estimate(0.553, 0.305, 0.721), estimate(0.553, -0.133, 1.0)))
    assert [each.text for each in found] == [
        "Score: alpha is 0.55 [0.31, 0.72] over 60 images. By convention, tentative conclusions need 0.667, "
        "which the interval includes.",
        "Intervals hold for these annotators and prompts. With other annotators like these, alpha may lie "
        "anywhere from −0.13 to 1.00.",
        "Score: an interval of ± 0.10 needs about 1,305 (560 to 4,420) doubly annotated images; there are "
        "60.",
        "Score: by pair (7 to 12 images each), alpha is from −0.05 [−0.66, 0.56] (b – c) to 0.83 [0.58, "
        "1.00] (a – b); the mean of the pairs, as published, is 0.39.",
        "Cells: alpha is 0.45 [0.38, 0.51] over 60 images.",
        "Cells: AC1 is 0.45 [0.38, 0.51] over 60 images.",
        "Of 436 cells that at least one of two annotators marked, both marked 90% and entered the same in "
        "10%; most agreement is lost on the total.",
    ]


HEAD = {"protocol": {"slug": "stars", "title": "Stars", "headline": "Stars"}}


def test_a_difference_is_said_from_its_lower_side() -> None:
    (said,) = result_findings(HEAD | comparison(stars(ANSWERS)))
    assert said.kind == "clear"
    assert said.text == (
        "a scores lower than b (−2.10 [−3.59, −0.61], p = 0.013 after Holm), for this prompt, as judged by "
        "these annotators."
    )
    (other,) = result_findings(HEAD | comparison(stars(ANSWERS, generators="ba")))
    assert other.text == said.text.replace("a scores lower than b", "b scores lower than a")


def test_an_interval_without_0_beside_no_verdict_is_explained() -> None:
    """A pair that would differ alone need not among many pairs: 0.02 becomes 0.06 after Holm."""
    gap = estimated(-0.98, -1.82, -0.14, n_units=20, n_coders=4, method="")
    row = {"a": "a", "b": "b", "difference": gap, "p": 0.02, "p_holm": 0.06, "verdict": AT_LIMIT}
    pairs = {"tables": [{"name": "differences", "columns": [{"name": "a"}], "rows": [["a"], ["a"], ["b"]]}]}
    said = COMPARISON_SENTENCES["undecided"](row, pairs)
    assert said.text == (
        "a or b: either may be better (−0.98 [−1.82, −0.14], p = 0.060 after Holm, at the limit). The "
        "interval is for this pair alone, p for all 3 pairs."
    )
    assert not COMPARISON_SENTENCES["undecided"](row | {"p": 0.06}, pairs).text.endswith("pairs.")


def test_generators_too_small_to_compare_are_all_named() -> None:
    (said,) = result_findings(HEAD | comparison(stars([(0, "A", 1), (1, "A", 2)])))
    assert said.text == (
        "The generators are not compared: a has fewer than 2 images with scores; b has fewer than 2 images "
        "with scores."
    )


def test_scores_of_0_have_no_highest_mean_and_no_errors() -> None:
    """24 images of two generators and three prompts, none with an error, half of them annotated twice."""
    project = make_project()
    people = [make_member(project), make_member(project)]
    batch = make_batch(project)
    for at in range(24):
        image = make_image(project, generator="ab"[at % 2], prompt="pqr"[at % 3])
        for member in people[: 1 + at % 2]:
            make_submitted(member, [], batch=batch, image=image)
    reported(project)
    compared, agreed = (
        {**(project.reports.get(kind=kind).result or {})} for kind in ("comparison", "agreement")
    )
    assert [line_of(name, compared) for name in ("errors", "prompts")] == [
        ("No error adds to the score", ""),
        ("Mean of every prompt: 0.00", "3 prompts"),
    ]
    found = line_of("disagreements", agreed)
    assert found
    assert found.text == "Cumulative score: no two annotations of an image differ"


def test_what_cannot_be_said_is_refused_with_its_reason() -> None:
    (said,) = result_findings(HEAD | agreement(stars(ANSWERS)))
    assert (said.kind, said.text) == ("refused", "Stars: alpha is not defined: too few: 1 of 5 images.")
    (said,) = result_findings(HEAD | comparison(stars([(0, "A", 1), (1, "A", 2)])))
    assert said.kind == "refused"


class TestStages:
    STAGES: Any = {
        "stages": {
            "first": {"title": "Yes or no", "headline": "Cells marked"},
            "second": {"title": "Counts", "headline": "Score"},
        },
        "settings": {"unmarked_as_zero": False},
    }

    def said(self, code: str, row: dict[str, Any], *, zero: bool = False) -> tuple[str, list[str]]:
        """What kind of finding it is, and the numbers in it."""
        result = {**self.STAGES, "settings": {"unmarked_as_zero": zero}}
        found = SENTENCES[code](row, result)
        return found.kind, re.findall(r"\d[\d.,]*\d|\d", found.text)

    @pytest.mark.parametrize(
        ("low", "high", "kind"), [(0.1, 0.3, "clear"), (-0.1, 0.3, "open"), (-0.4, -0.1, "clear")]
    )
    def test_which_stage_separates_better_is_clear_where_zero_is_outside(
        self, low: float, high: float, kind: str
    ) -> None:
        gap = estimated((low + high) / 2, low, high, n_units=55, method="")
        first, second = (estimate(value, 0, 1, n_units=55, method="") for value in (0.25, 0.5))
        row = {"images": 55, "first": first, "second": second, "difference": gap}
        found, numbers = self.said("separates", row)
        assert found == kind
        assert numbers[:3] == ["55", "0.25", "0.50"]
        better = SENTENCES["separates"](row, self.STAGES).text.split()[0]
        assert better == {"clear": "Score" if low > 0 else "Cells", "open": "Neither"}[kind]

    @pytest.mark.parametrize(
        ("zero", "words"), [(False, "Not counted: 17 images"), (True, "Counted as 0 in stage 2")]
    )
    def test_zeros_are_never_silent(self, zero: bool, words: str) -> None:
        found = estimated(0.25, 0.01, 0.81, n_units=4, method="")
        row = {"judged": 4, "found": 1, "rate": found, "left_out": 17}
        assert self.said("missed", row, zero=zero)[1][:7] == ["4", "1", "1", "2", "25", "1", "81"]
        result = {**self.STAGES, "settings": {"unmarked_as_zero": zero}}
        assert words in SENTENCES["missed"](row, result).text
        assert "17 images without marks left out" in SENTENCES["missed"](row, result).text
        unknown = {"judged": 0, "found": 0, "rate": refused("nothing", method=""), "left_out": 0}
        assert "is not known" in SENTENCES["missed"](unknown, result).text


TERMS = ("prompt", "generator_prompt", "image", "annotator", "annotator_generator", "annotator_prompt")


def test_a_comparison_says_what_was_done_and_nothing_else() -> None:
    text = comparison_methods(
        anatomy_comparison(framed(rated(1, "ada", {"missing.face": "1/2c"}), rated(2, "ada", {})))
    )
    assert text.startswith("One annotator made 2 annotations of 2 images, 1 of each. ")
    assert "(missing, extra, configuration, orientation and proportion) on five body parts (torso, " in text
    assert "(0.20 for mild, 0.50 for moderate and 1.00 for severe errors)" in text
    for absent in ("mixed model", "could not be read", "adjudicated"):
        assert absent not in text
    assert "No model of the generators was fitted: fewer than 2 generators." in text
    assert text.endswith(").")
    assert "Computed with Anatomark (Python 3." in text


@pytest.mark.parametrize(
    ("prompts", "annotators", "left_out", "holds"),
    [
        (2, 3, (), "for prompts and annotators like these"),
        (2, 2, (), "for prompts like these, as judged by these annotators"),
        (2, 3, ("annotator_generator",), "for prompts like these, as judged by these annotators"),
        (2, 1, ("annotator", "annotator_generator"), "for prompts like these, as judged by this annotator"),
        (1, 3, ("prompt", "generator_prompt"), "for this prompt and annotators like these"),
        (1, 1, ("prompt", "generator_prompt"), "for this prompt, as judged by this annotator"),
    ],
)
def test_intervals_hold_for_what_is_a_sample_in_the_model(
    prompts: int, annotators: int, left_out: tuple[str, ...], holds: str
) -> None:
    kept = [name for name in TERMS if name not in left_out]
    assert scope({"prompts": prompts, "annotators": annotators, "kept": kept}) == holds


def reported(project: Project, protocol: str = "anatomy") -> None:
    for kind in KEPT_UP_TO_DATE:
        run_report(request_report(project=project, kind=kind, protocol=protocol).pk)


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", ["anatomy", "presence"])
def test_the_export_page_has_the_paragraphs_of_the_reports(
    protocol: str, django_assert_num_queries: Any
) -> None:
    project = make_mixed()
    reported(project, protocol)
    with django_assert_num_queries(3):
        found = project_methods(project, protocol)
    pages = {
        report.kind: page_of_report(report, project) for report in project.reports.filter(protocol=protocol)
    }
    assert {one.kind: (one.text, list(one.references)) for one in found} == {
        kind: (page.methods, list(page.references)) for kind, page in pages.items() if page.methods
    }
    assert [one.kind for one in found] == sorted(pages)
    assert f"Anatomark {program_version()} (" in found[0].text or protocol != "anatomy"


@pytest.mark.parametrize("starts_at_0", [True, False])
def test_methods_name_the_plain_tests_that_the_page_has(starts_at_0: bool) -> None:
    """Realism and stars do not start at 0; their methods named a row that no page had."""
    answers = [(image, who, 1 + (2 * image + (who == "b")) % 5) for image in range(8) for who in "ab"]
    marked = [
        (image, who, " ".join(f"missing.{part}" for part in BODY_PARTS[:n])) for image, who, n in answers
    ]
    result = comparison(presence(marked) if starts_at_0 else stars(answers))
    text = comparison_methods({**result, "protocol": {"title": "Protocol", "headline": "Headline"}})
    (plain,) = (table for table in result["tables"] if table["name"] == "plain")
    assert [
        LOG in {row["method"] for row in rows_of(result, "plain")},
        LOG in text,
        LOG in plain["words"],
    ] == [starts_at_0] * 3
