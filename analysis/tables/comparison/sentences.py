"""What a comparison finds and how it was made, in sentences, for every protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from analysis.stats.comparison import AT_LIMIT, is_clear
from analysis.stats.generic.tables import rows_of
from analysis.tables.methods import classification, computed_with, scores, spelled
from analysis.tables.wording import (
    Finding,
    Result,
    better_first,
    counted,
    listed,
    p_value,
    rounded,
    with_interval,
)

NAMED: Final = 3
FEWEST_PROMPTS: Final = 2
FEWEST_ANNOTATORS: Final = 3
Row = Mapping[str, Any]
# What a term of the mixed model is called in a paper.
_TERMS: Final = {
    "prompt": "prompt",
    "generator_prompt": "generator-by-prompt interaction",
    "image": "image",
    "annotator": "annotator",
    "annotator_generator": "annotator-by-generator interaction",
    "annotator_prompt": "annotator-by-prompt interaction",
}
_WHY: Final = {
    "log(1 + score)": "it weighs low scores more and high ones less",
    "by image": "it takes images of one prompt, and those judged by one person, for independent",
    "by annotation, as published": (
        "it takes annotations of one image, by one person, and of one prompt for independent"
    ),
}


def _better(row: Row, result: Result) -> Finding:
    """Say than whom a generator is better, by all the clear differences of which `row` is the first."""
    higher = result["settings"]["higher_is_better"]
    name = better_first(row, higher_is_better=higher)["a"]
    tests = [better_first(test, higher_is_better=higher) for test in rows_of(result, "differences")]
    clear = [test for test in tests if is_clear(test["p_holm"]) and test["a"] == name]
    others = [f"{test['b']} ({_gap(test)})" for test in clear[:NAMED]]
    if len(clear) > NAMED:
        others.append(counted(len(clear) - NAMED, "other"))
    scores = "scores higher" if higher else "scores lower"
    return Finding("clear", f"{name} {scores} than {listed(others)}, {scope(result['model'])}.")


def _gap(test: Row) -> str:
    limit, gap = ", at the limit" if test["verdict"] == AT_LIMIT else "", test["difference"]
    why = f", no interval: {gap['refused']}" if gap["low"] is None else ""
    return f"{with_interval(gap)}{why}, {p_value(test['p_holm'])} after Holm{limit}"


def _no_difference(row: Row, result: Result) -> Finding:
    better = "higher" if result["settings"]["higher_is_better"] else "lower"
    start = f"No generator is clearly {better}, {scope(result['model'])}"
    if row["p_holm"] is None:
        return Finding("open", f"{start}; {row['a']} and {row['b']}: {row['difference']['refused']}.")
    return Finding("open", f"{start}; the widest interval is that of {row['a']} and {row['b']}, {_gap(row)}.")


def _undecided(row: Row, result: Result) -> Finding:
    pair = f"{row['a']} or {row['b']}"
    if row["p_holm"] is None:
        return Finding("refused", f"{pair}: no verdict, {row['difference']['refused']}.")
    text = f"{pair}: either may be better ({_gap(row)})."
    if is_clear(row["p"]):  # the interval leaves out 0
        pairs = len(rows_of(result, "differences"))
        text += f" The interval is for this pair alone, p for all {pairs:,} pairs."
    return Finding("open", text)


def _no_model(_: Row, result: Result) -> Finding:
    return Finding("refused", f"The generators are not compared: {result['model']['refused']}.")


def _plain_differs(row: Row, _: Result) -> Finding:
    pair, p = f"{row['a']} and {row['b']}", f"{p_value(row['p_holm'])} after Holm"
    differ = "differ" if is_clear(row["p_holm"]) else "do not differ"
    text = f"Tested {row['method']}, {pair} {differ} ({p}), unlike by the model: {_WHY[row['method']]}."
    return Finding("note", text)


SENTENCES: Final[Mapping[str, Callable[[Row, Result], Finding]]] = {
    "better": _better,
    "undecided": _undecided,
    "no_difference": _no_difference,
    "no_model": _no_model,
    "plain_differs": _plain_differs,
}


def comparison_methods(result: Result) -> str:
    """Return the methods paragraph of a comparison."""
    settings = result["settings"]
    return " ".join(
        [
            _population(settings),
            *_measured(result),
            _images(settings),
            *_model(result["model"], settings["scale"]),
            computed_with(result),
        ]
    )


def _population(settings: Row) -> str:
    low, high = settings["annotations_per_image"]
    per_annotator = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return (
        f"{spelled(settings['annotators'], 'annotator')} made "
        f"{counted(settings['annotations'], 'annotation')} of {counted(settings['images'], 'image')}, "
        f"{per_annotator} of each."
    )


def _measured(result: Result) -> Iterator[str]:
    """Yield what was measured, on which scale, and how several ratings of an image become its score."""
    settings, protocol = result["settings"], result.get("protocol", {})
    if "weights" in settings:
        yield classification()
        yield f"{scores(result)} Its scale is {_scale(settings)}."
    elif protocol:
        measure = f"“{protocol['headline'].lower()}”, {_scale(settings)}"
        yield f"The protocol “{protocol['title']}” measures {measure}."
        if source := protocol.get("shown_from"):
            yield f"The annotations were made under the protocol “{source}” and converted."
    yield settings.get(
        "consolidation", "The score of an image annotated more than once is the mean of its annotations."
    )


def _scale(settings: Row) -> str:
    least, most = (None if end is None else rounded(end, 0) for end in settings["scale"])
    if least is None:
        return "without limits" if most is None else f"up to {most}"
    return f"from {least} to {most}" if most is not None else f"from {least} upwards"


def _images(settings: Row) -> str:
    decided = settings["images_adjudicated"]
    without = f" Adjudicated scores ({counted(decided, 'image')}) did not enter." if decided else ""
    seed = settings["seed"]
    drawn = "" if seed is None else f" Outside metrics have intervals from resampling prompts, seed {seed}."
    return (
        f"Means are over images, with {100 * settings['confidence']:.0f}% intervals from Student's t "
        f"distribution, which hold for these prompts and annotators.{without}{drawn}"
    )


def _model(model: Row, scale: Sequence[float | None]) -> Iterator[str]:
    if model["refused"] is not None:
        yield f"No model of the generators was fitted: {model['refused']}."
        return
    random = [words for name, words in _TERMS.items() if name in model["kept"]]
    effects = f" and random effect{'s' if len(random) > 1 else ''} of {listed(random)}" if random else ""
    dropped = "; ".join(f"{_TERMS[row['name']]} ({row['reason']})" for row in model["dropped"])
    yield (
        "Generators were compared by a linear mixed model of all annotations, with the generator as a fixed "
        f"effect{effects}, fitted by restricted maximum likelihood (Bates et al. 2015), with Satterthwaite's "
        "degrees of freedom (Satterthwaite 1946) and p values corrected for the number of pairs by Holm's "
        "method (Holm 1979), intervals for each pair alone; "
        f"it holds {scope(model)}.{f' Left out: {dropped}.' if dropped else ''}"
    )
    logs = "the model of log(1 + score) where the scale starts at 0, and " if scale[0] == 0 else ""
    yield (
        f"Plain tests without a verdict stand beside it: {logs}Welch's t tests over images and over "
        "annotations (Welch 1947)."
    )


def scope(model: Mapping[str, Any]) -> str:
    """Return for which prompts and annotators a mixed model's intervals hold, as text.

    For prompts like these from 2 prompts on; for annotators like these from 3 on, if how they differ between
    generators is in the model.
    """
    kept = set(model["kept"])
    prompts = model["prompts"] >= FEWEST_PROMPTS and bool({"prompt", "generator_prompt"} & kept)
    annotators = model["annotators"] >= FEWEST_ANNOTATORS and "annotator_generator" in kept
    if prompts and annotators:
        return "for prompts and annotators like these"
    who = "annotator" if model["annotators"] == 1 else "annotators"
    if annotators:
        return f"for {_these(model['prompts'], 'prompt')} and annotators like these"
    what = "prompts like these" if prompts else _these(model["prompts"], "prompt")
    return f"for {what}, as judged by {'this' if who == 'annotator' else 'these'} {who}"


def _these(number: int, noun: str) -> str:
    return f"this {noun}" if number == 1 else f"these {noun}s"
