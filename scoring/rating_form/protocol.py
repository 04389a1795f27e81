"""The protocol of a rating form: its variables, and the rules of its payloads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from scoring.comparison import Compared, ComparedComponent, Verdict, compared_sets, pooled
from scoring.payloads import Refusals, read_object, read_remarks, read_text, shown
from scoring.protocol import Flaggable, Payload, Protocol, Rating, Variable
from scoring.qualification_rules import RECALL
from scoring.rating_form.definition import CANNOT_JUDGE, MEAN, OVERALL, FormDefinition, Item

_DECIMAL: Final = re.compile(r"[-−]?[0-9]{1,9}([.,][0-9]{1,3})?")
_KEYS: Final = ("answers", "note", "flag", "tags")
_WIDE: Final = 5
"""From so many points on, the point beside is a hit."""


_AS_REFERENCE: Final = replace(
    RECALL,
    title="Answers as the reference",
    help="Share of the reference’s answers that the annotator gives, too, or one point beside.",
    default=Fraction(4, 5),
)


@dataclass(frozen=True)
class FormAnswers(Flaggable):
    """The checked content of one annotation: JSON answers by item, in the order of the form."""

    answers: Mapping[str, Any]

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON."""
        return {"answers": dict(self.answers), **self.remarks(), "note": self.note}


def exact_number(text: str) -> Fraction | None:
    """Return a decimal text, with a point or a comma, as a fraction; None if it is none."""
    if not _DECIMAL.fullmatch(text.strip()):
        return None
    return Fraction(text.strip().replace("−", "-").replace(",", "."))


def decimal_text(number: Fraction) -> str:
    """Return a number of at most three decimals as text, without closing zeros."""
    return f"{float(number):.12g}"


@dataclass(frozen=True)
class Rules:
    """The rules of one form, as `Protocol` needs them."""

    form: FormDefinition

    def clean(self, payload: object, *, complete: bool = True) -> FormAnswers:
        """Return the checked annotation of a payload.

        Answers that are empty or not asked are dropped. `complete=False` accepts drafts, which may lack any.
        Raises only InvalidPayload; a field is named `answers.NAME`.
        """
        refusals = Refusals()
        given = read_object(payload, _KEYS, "", refusals) or {}
        names = [item.name for item in self.form.items]
        answers = read_object(given.get("answers", {}), names, "answers", refusals) or {}
        kept: dict[str, Any] = {}
        for item in self.form.items:
            if not is_asked(item, kept):
                continue
            answer = _read(item, answers.get(item.name), refusals)
            if answer is not None:
                kept[item.name] = answer
            elif complete and item.required and _is_empty(answers.get(item.name)):
                refusals.add(f"answers.{item.name}", f"Not submitted: answer “{item.title}” first.")
        annotation = FormAnswers(kept, **read_remarks(given, refusals))
        refusals.raise_if_any()
        if complete and not kept:
            refusals.add("", "Not submitted: the annotation is empty.")
        refusals.raise_if_any()
        return annotation

    def ratings(self, answer: FormAnswers, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
        """Return the ratings of a complete annotation, item by item."""
        answers = answer.answers
        rated = [rating for item in self.form.items for rating in _ratings(item, answers.get(item.name))]
        scales = {item.name for item in self.form.items if item.points}
        points = [value for name, _, value in rated if name in scales]
        if self.form.headline == MEAN and len(points) == len(scales):
            rated.append((OVERALL, "", sum(points, Fraction(0)) / len(points)))
        return tuple(rated)

    def compare(self, reference: FormAnswers, answer: FormAnswers) -> Compared:
        """Compare two complete annotations item by item; texts do not count.

        An answer is a hit if it is equal; on a scale of five points or more, also one point beside; a number,
        within a tenth of its range. Options are compared one by one.
        """
        both = (reference.answers, answer.answers)
        judged = (item for item in self.form.items if item.kind != "text")
        return pooled(_compared(item, *(given.get(item.name) for given in both)) for item in judged)


def _is_empty(value: object) -> bool:
    return not value.strip() if isinstance(value, str) else value in (None, [])


def _is_among(value: object, answers: Iterable[object]) -> bool:
    """Return whether a value is one of the answers; true is no 1, because both may be answers."""
    return any(value == answer and type(value) is type(answer) for answer in answers)


def is_asked(item: Item, answers: Mapping[str, Any]) -> bool:
    """Return whether an item is asked, given the answers to the items before it."""
    return item.when is None or _is_among(answers.get(item.when.item), item.when.answers)


def _read(item: Item, value: object, refusals: Refusals) -> Any:
    """Return a valid answer as it is stored; None for none and for a refused one."""
    field = f"answers.{item.name}"
    if _is_empty(value):
        return None
    if item.kind == "text":
        # Sheets drop blanks at the ends, too.
        return read_text(value, field, refusals).strip() or None
    if value == CANNOT_JUDGE and item.cannot_judge:
        return value
    if item.kind == "number":
        number = exact_number(value) if isinstance(value, str) else None
        least, most, step = map(Fraction, (item.least, item.most, item.step))
        if number is not None and least <= number <= most and (number - least) % step == 0:
            return decimal_text(number)
        what = "whole number" if item.step == "1" else "number"
        steps = "" if item.step == "1" else f" in steps of {item.step}"
        refusals.add(field, f"Enter a {what} from {item.least} to {item.most}{steps}.")
        return None
    known = [answer for answer, _ in item.choices.values()]
    if item.kind == "several" and isinstance(value, list):
        unknown = [key for key in value if not _is_among(key, known)]
        if not unknown:
            return [key for key in known if key in value]
        value = unknown[0]
    elif item.kind != "several" and _is_among(value, known):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    refusals.add(field, f"Refused: {shown(text)} is not an answer to “{item.title}”.")
    return None


def component_of(item: Item, option: str) -> str:
    """Return the component of an answer: options of *several* are compared one by one."""
    return f"{item.name}.{option}"


def _compared(item: Item, theirs: Any, ours: Any) -> Compared:
    if item.kind == "several":
        order = [component_of(item, key) for key, _ in item.options]
        ticked = ([component_of(item, key) for key in given or ()] for given in (theirs, ours))
        return compared_sets(order, *ticked)
    if theirs is None and ours is None:
        return Compared(())
    verdict: Verdict = "hit" if _is_close(item, theirs, ours) else "alone" if theirs is None else "missed"
    return Compared((ComparedComponent(item.name, verdict),))


def _is_close(item: Item, theirs: Any, ours: Any) -> bool:
    if theirs == ours or None in (theirs, ours) or CANNOT_JUDGE in (theirs, ours):
        return bool(theirs == ours)
    if item.kind == "number":
        return abs(Fraction(theirs) - Fraction(ours)) * 10 <= Fraction(item.most) - Fraction(item.least)
    points = [point for point, _ in item.points]
    return len(points) >= _WIDE and abs(points.index(theirs) - points.index(ours)) <= 1


def _ratings(item: Item, answer: Any) -> Sequence[Rating]:
    if answer is None or item.kind == "text":
        return ()
    if item.kind == "several":
        return [(item.name, key, Fraction(1)) for key in answer]
    if answer == CANNOT_JUDGE:
        return [(CANNOT_JUDGE, item.name, Fraction(1))]
    keys = [key for key, _ in item.options]
    return [(item.name, "", Fraction(keys.index(answer) if item.kind == "choice" else answer))]


def _variable(item: Item, headline: str) -> Variable:
    """Return the variable of an item other than a text."""
    several = item.kind == "several"
    optional = not several and (not item.required or item.cannot_judge or item.when is not None)
    coded = item.points or tuple(enumerate(label for _, label in item.options))
    domain = {
        "yes_no": "1 for yes, 0 for no",
        "several": "1 where the option is ticked, else 0; by option",
        "number": f"{item.least} to {item.most} in steps of {item.step}",
    }.get(item.kind, ", ".join(f"{code} {label}".strip() for code, label in coded))
    return Variable(
        name=item.name,
        title=item.title,
        level_of_measurement={"scale": "ordinal", "number": "interval"}.get(item.kind, "nominal"),  # type: ignore[arg-type]
        value_domain=domain,
        components=tuple(key for key, _ in item.options) if several else (),
        values=(0, 1) if item.kind in {"yes_no", "several"} else tuple(code for code, _ in coded),
        headline=item.name == headline,
        optional=optional,
        higher_is_better=item.better == "high",
        limits=(float(item.least), float(item.most)) if item.kind == "number" else None,
    )


def _variables(form: FormDefinition) -> tuple[Variable, ...]:
    found = [_variable(item, form.headline) for item in form.items if item.kind != "text"]
    if form.headline == MEAN:
        scales = [variable for variable in found if variable.level_of_measurement == "ordinal"]
        found.append(
            Variable(
                name=OVERALL,
                title=f"Mean of {len(scales)} scales",
                level_of_measurement="interval",
                value_domain="mean of the points of all scales",
                headline=True,
                optional=any(scale.optional for scale in scales),
                higher_is_better=all(scale.higher_is_better for scale in scales),
                limits=scales[0].range,
            )
        )
    if judged := tuple(item.name for item in form.items if item.cannot_judge):
        domain = "1 where the annotator cannot judge, else 0; by item"
        found.append(Variable(CANNOT_JUDGE, "Cannot judge", "nominal", domain, judged, (0, 1)))
    return tuple(found)


def protocol_of(form: FormDefinition) -> Protocol:
    """Return the protocol of a checked form."""
    rules = Rules(form)
    return Protocol(
        slug=form.slug,
        title=form.title,
        version=1,
        variables=_variables(form),
        clean=rules.clean,
        ratings=rules.ratings,
        compare=rules.compare,
        rule_terms=(_AS_REFERENCE,),
        adjudicated=form.adjudicate,
        form=form.as_json(),
    )
