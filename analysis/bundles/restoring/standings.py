"""Qualifications, attempts and standings of a bundle, checked row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.rules import Rule, Unfit, maybe, one_of, text, truth, whole
from annotator.models import Attempt, Batch, Qualification, Standing
from scoring.qualification_rules import check_rule
from scoring.service import get_protocol

_MOST: Final = 32767


def _lines(value: Any) -> list[int]:
    if not isinstance(value, list) or not all(type(line) is int and line >= 1 for line in value):
        raise Unfit("a list of lines")
    return value


def _result(value: Any) -> dict[str, Any]:
    """Return a result as `training.qualification_attempts` writes it; raise Unfit for any other value."""
    try:
        if value:
            images, terms, components = value["images"], value["terms"], value["components"]
            fits = type(images) is int and value.keys() == {"images", "terms", "components"}
            for one in terms:
                Fraction(one["required"])
                Fraction(one["value"] or 0)
                low, high = one["interval"] or (0.0, 1.0)
                fits = fits and low <= high and isinstance(one["met"], bool)
                fits = fits and isinstance(one["term"], str)
            for key, *counts in components:
                fits = fits and isinstance(key, str) and [type(count) for count in counts] == [int] * 3
            if not fits:
                raise TypeError
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        raise Unfit("the result of an attempt") from error
    return rules.an_object(value)


def _guideline(value: Any) -> str:
    return "" if value == "" else rules.guideline_version(value)


QUALIFICATION_RULES: Final[Mapping[str, Rule]] = {
    "rule": rules.an_object,
    "pool": _lines,
    "images": whole(1, _MOST),
    "attempts": whole(1, _MOST),
    "waiting_hours": whole(0, _MOST),
}
ATTEMPT_RULES: Final[Mapping[str, Rule]] = {
    "number": whole(1, _MOST),
    "references": rules.lines_and_versions,
    "began_at": rules.moment,
    "ended_at": maybe(rules.moment),
    "next_at": maybe(rules.moment),
    "passed": maybe(truth),
    "result": _result,
}
STANDING_RULES: Final[Mapping[str, Rule]] = {
    "protocol": rules.protocol,
    "state": one_of(Standing.State.values),
    "guideline": _guideline,
    "evidence": _lines,
    "reason": text(400),
    "changed_at": rules.moment,
    "changed_by": maybe(whole(1)),
}


def qualification_of(
    values: dict[str, Any], batch: Batch, images: Sequence[int], where: str
) -> Qualification:
    """Return a qualification, not stored; raises BundleRefused naming the place."""
    try:
        rule = {name: Fraction(value) for name, value in values["rule"].items()}
        check_rule(get_protocol(batch.protocol).rule_terms, rule)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise BundleRefused(f"{where}: “rule” is invalid: {error}") from error
    values["pool"] = [at(images, line, "pool", where) for line in values["pool"]]
    return Qualification(**values)


def attempt_of(values: dict[str, Any], images: Sequence[int], where: str) -> Attempt:
    """Return an attempt, not stored; raises BundleRefused naming the place."""
    ended = values["ended_at"] is not None
    if ended != (values["passed"] is not None) or ended != bool(values["result"]):
        raise BundleRefused(f"{where}: exactly the ended attempts have “passed” and a “result”.")
    values["references"] = {
        str(at(images, line, "references", where)): version for line, version in values["references"]
    }
    return Attempt(**values)


def standing_of(
    values: dict[str, Any], annotations: Sequence[int], people: Sequence[int], where: str
) -> Standing:
    """Return a standing, not stored; raises BundleRefused naming the place."""
    values["evidence"] = [at(annotations, line, "evidence", where) for line in values["evidence"]]
    by = values.pop("changed_by")
    return Standing(
        membership_id=values.pop("annotator_id"),
        changed_by_id=None if by is None else at(people, by, "changed_by", where),
        **values,
    )


def at(numbers: Sequence[int], line: int, key: str, where: str) -> int:
    """Return the id at a line; raises BundleRefused for one that the bundle does not have."""
    if not 1 <= line <= len(numbers):
        raise BundleRefused(f"{where}: “{key}” names {line}; there are {len(numbers)}.")
    return numbers[line - 1]
