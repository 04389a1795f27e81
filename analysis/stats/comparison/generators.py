"""Tables of the generators: their means, and the differences between them by the mixed model and plainly.

Only the mixed model gives verdicts. Beside it stand three plain tests without one: the mixed model of
log(1 + score), where the scale starts at 0; Welch's test over images; and over annotations, as published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.comparison import AT_LIMIT, is_clear
from analysis.stats.comparison.compared import Compared
from analysis.stats.comparison.mixed import WORDS, mixed_model
from analysis.stats.comparison.welch import Test, welch_of
from analysis.stats.estimates import refused
from analysis.stats.generic.tables import Json, ResultColumn, finding, table
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.overall_severity import group_quantiles

CLEAR, NO_VERDICT = "clear", ""
LIMIT: Final = 0.04, 0.06
"""Corrected p values between these are at the limit: little would turn the verdict."""
FEWEST_PROMPTS: Final = 8
"""Prompts below which generators have no ranks: rank intervals from fewer hold too rarely."""
LOG: Final = "log(1 + score)"
BY_IMAGE: Final = "by image"
BY_ANNOTATION: Final = "by annotation, as published"
FINDINGS: Final = 10
"""Generators that a sentence says to be better than others; the table has all."""
UNDECIDED: Final = 2
"""Pairs nearest to a verdict that a sentence says to have none, where other pairs have one."""
A: Final = ResultColumn("a", "A")
B: Final = ResultColumn("b", "B")


def verdict_of(p_holm: float | None) -> str:
    """Return the verdict on a pair from the corrected p value of the mixed model."""
    if p_holm is not None and LIMIT[0] <= p_holm <= LIMIT[1]:
        return AT_LIMIT
    return CLEAR if is_clear(p_holm) else NO_VERDICT


def generators_table(compared: Compared, model: Mapping[str, Any]) -> Json:
    """Return each generator's means over images, without adjudicated values and with them beside."""
    frame, headline = compared.frame, compared.headline
    labels, codes = frame.labels("generator"), compared.codes("generator")
    moments = grouped(compared.images, codes, len(labels))
    n_annotators = frame.n_annotators("generator")
    columns = [
        (ResultColumn("generator", "Generator"), labels),
        (
            ResultColumn("annotations", "Annotations", "count"),
            np.bincount(frame.codes("generator"), minlength=len(labels)).tolist(),
        ),
        (ResultColumn("images", "Images", "count"), moments.n.tolist()),
        (
            ResultColumn("mean", "Mean", "estimate", f"mean {headline.title.lower()} of images"),
            mean_estimates(moments, n_annotators, headline.range),
        ),
        (
            ResultColumn("variance", "Variance", "number", "sample variance over images"),
            [moments.variance_of(place) for place in range(len(labels))],
        ),
        (
            ResultColumn("median", "Median", "number", "half of the images score lower"),
            group_quantiles(compared.images, codes, 0.5).tolist() if labels else [],
        ),
    ]
    if compared.decided:
        scores = compared.images.copy()
        scores[list(compared.decided)] = list(compared.decided.values())
        adjudicated = ResultColumn(
            "adjudicated_mean", "With adjudicated", "estimate", "mean with adjudicated scores in place"
        )
        means = mean_estimates(grouped(scores, codes, len(labels)), n_annotators, headline.range)
        columns.append((adjudicated, means))
    if model["prompts"] >= FEWEST_PROMPTS and not model["refused"]:
        ranks = ResultColumn(
            "rank", "Rank", meaning="first and last rank that the model's clear differences leave open"
        )
        columns.append((ranks, _ranks(labels, model["pairs"], higher_is_better=headline.higher_is_better)))
    columns += [(column.column, column.by(codes, moments.n)) for column in compared.columns]
    if compared.as_published:
        columns += _as_published(compared)
    words = (
        f"{headline.title} by image: the mean with Student's 95% interval over images, for these prompts and "
        "these annotators. Compare generators by their differences."
    )
    return table("generators", "Generators", words, *_transposed(columns))


def _as_published(compared: Compared) -> list[tuple[ResultColumn, list[Any]]]:
    """Return means over annotations, in which an image annotated twice counts twice."""
    frame = compared.frame
    labels = frame.labels("generator")
    moments = grouped(compared.scores, frame.codes("generator"), len(labels))
    means = mean_estimates(moments, frame.n_annotators("generator"), compared.headline.range)
    return [
        (
            ResultColumn("annotation_mean", "Mean, as published", "estimate", "over annotations"),
            list(means),
        ),
        (
            ResultColumn("annotation_variance", "Variance, as published", "number", "over annotations"),
            [moments.variance_of(place) for place in range(len(labels))],
        ),
    ]


def _transposed(
    columns: Sequence[tuple[ResultColumn, Sequence[Any]]],
) -> tuple[list[ResultColumn], list[tuple[Any, ...]]]:
    return [column for column, _ in columns], list(zip(*(values for _, values in columns), strict=True))


def _ranks(labels: Sequence[str], pairs: Sequence[Test], *, higher_is_better: bool) -> list[str]:
    """Return the ranks that each generator may have, `2` or `1–3`, best first."""
    better = {
        (test["a"], test["b"])
        if (test["difference"]["value"] > 0) == higher_is_better
        else (test["b"], test["a"])
        for test in pairs
        if is_clear(test["p_holm"])
    }
    ranks = []
    for label in labels:
        first = 1 + sum(worse == label for _, worse in better)
        last = len(labels) - sum(winner == label for winner, _ in better)
        ranks.append(f"{first}" if first == last else f"{first}–{last}")
    return ranks


def differences_table(compared: Compared, model: Mapping[str, Any]) -> Json:
    """Return the mixed model's tests of every two generators with the verdicts; no rows if it is refused."""
    title = compared.headline.title.lower()
    return table(
        "differences",
        "Differences",
        f"No model: {model['refused']}."
        if model["refused"]
        else f"Every two generators by a mixed model of all annotations ({model['method']}), without "
        "adjudicated values. Clear: p below 0.05 after Holm's correction; from 0.04 to 0.06, at the limit. "
        "Intervals are for each pair alone.",
        (
            A,
            B,
            ResultColumn("difference", "A − B", "estimate", f"difference in {title} with its 95% interval"),
            ResultColumn("df", "df", "number", "degrees of freedom (Satterthwaite)"),
            ResultColumn("p", "p", "p", "two-sided"),
            ResultColumn("p_holm", "p (Holm)", "p", "corrected for the number of pairs"),
            ResultColumn("verdict", "Verdict", meaning=f"“{CLEAR}”, “{AT_LIMIT}” or none"),
        ),
        (
            [
                *(test[key] for key in ("a", "b", "difference", "df", "p", "p_holm")),
                verdict_of(test["p_holm"]),
            ]
            for test in model["pairs"]
        ),
    )


def plain_table(compared: Compared) -> Json:
    """Return the tests beside the verdicts, without one of their own."""
    frame, limits = compared.frame, compared.headline.range
    labels = frame.labels("generator")

    def welch(scores: Any, codes: Any) -> list[Test]:
        return welch_of(labels, grouped(scores, codes, len(labels)), limits)

    tests: dict[str, Callable[[], list[Test]]] = {
        BY_IMAGE: lambda: welch(compared.images, compared.codes("generator")),
        BY_ANNOTATION: lambda: welch(compared.scores, frame.codes("generator")),
    }
    if has_logs := limits[0] == 0:
        logs = np.log1p(compared.scores)
        top = float(np.log1p(limits[1]))
        tests = {LOG: lambda: mixed_model(frame, logs, (0.0, top))["pairs"], **tests}
    return table(
        "plain",
        "Plain tests",
        "Beside the mixed model and without a verdict: "
        f"{f'the same model of {LOG}, where the scale starts at 0; ' if has_logs else ''}Welch's test over "
        "images; and over annotations, as published. Welch's tests take images of one prompt and annotations "
        "by one person for independent.",
        (
            A,
            B,
            ResultColumn("method", "Method"),
            ResultColumn("difference", "A − B", "estimate", "with its 95% interval, on the method's scale"),
            ResultColumn("p", "p", "p", "two-sided"),
            ResultColumn("p_holm", "p (Holm)", "p", "corrected for the number of pairs"),
        ),
        (
            [test["a"], test["b"], method, test["difference"], test["p"], test["p_holm"]]
            for method, made in tests.items()
            for test in made()
        ),
    )


def variation_table(model: Mapping[str, Any]) -> Json:
    """Return the variance components of the model, and the terms that it does not hold with the reason."""
    components = {row["name"]: row for row in model["components"]}
    dropped = {row["name"]: row["reason"] for row in model["dropped"]}
    rows = [
        [
            WORDS[name],
            components[name]["standard_deviation"]
            if name in components
            else refused(dropped[name], method=model["method"]),
            components[name]["share"] if name in components else None,
            dropped.get(name, "kept"),
        ]
        for name in WORDS
        if name in components or name in dropped
    ]
    return table(
        "variation",
        "Sources of variation",
        "How the variance of scores within a generator is made up. A term that groups the annotations as "
        "another one does is not in the model.",
        (
            ResultColumn("component", "Component"),
            ResultColumn("standard_deviation", "Standard deviation", "estimate", "in points of the score"),
            ResultColumn("share", "Share", "share", "of the variance"),
            ResultColumn("kept", "In the model", meaning="“kept”, or why not"),
        ),
        rows if components else [],
    )


def generator_findings(plain: Json, model: Mapping[str, Any], *, higher_is_better: bool) -> list[Json]:
    """Return the findings: who is better than whom, who is not, and where a plain test differs from that."""
    if model["refused"]:
        return [finding("no_model", "differences", None)]
    tests = model["pairs"]
    clear: dict[str, int] = {}
    for place, test in enumerate(tests):
        if is_clear(test["p_holm"]):
            clear.setdefault(_better(test, higher_is_better=higher_is_better), place)
    better = [finding("better", "differences", place) for place in list(clear.values())[:FINDINGS]]
    others = [finding("plain_differs", plain["name"], place) for place in _differing(plain, tests)]
    if better:
        unclear = [place for place, test in enumerate(tests) if not is_clear(test["p_holm"])]
        nearest = sorted(unclear, key=lambda place: _p(tests[place]))[:UNDECIDED]
        return [*better, *(finding("undecided", "differences", place) for place in nearest), *others]
    widest = max(range(len(tests)), key=lambda place: _width(tests[place]), default=None)
    return [*([] if widest is None else [finding("no_difference", "differences", widest)]), *others]


def _better(test: Test, *, higher_is_better: bool) -> str:
    better: str = test["a"] if (test["difference"]["value"] > 0) == higher_is_better else test["b"]
    return better


def _p(test: Test) -> float:
    return 2.0 if test["p"] is None else float(test["p"])


def _width(test: Test) -> float:
    low, high = test["difference"]["low"], test["difference"]["high"]
    return -1.0 if low is None else float(high - low)


def _differing(plain: Json, tests: Sequence[Test]) -> Iterator[int]:
    """Yield for each method the first pair on which its test is significant and the model's not, or back."""
    clear = {(test["a"], test["b"]): is_clear(test["p_holm"]) for test in tests if test["p_holm"] is not None}
    known: set[str] = set()
    for place, (a, b, method, _, _, p_holm) in enumerate(plain["rows"]):
        differs = p_holm is not None and (a, b) in clear and is_clear(p_holm) != clear[a, b]
        if differs and method not in known:
            known.add(method)
            yield place
