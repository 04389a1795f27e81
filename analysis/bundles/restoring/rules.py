"""Rules for the rows of a bundle: by value, by file, and against the protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from annotator.annotations.causes import LONGEST_CAUSE_NOTE
from annotator.images.decoding import FORMATS
from annotator.inputs.storable import is_storable
from annotator.models import Adjudication, Annotation, Assignment, Batch, Project, Question, Reference
from scoring import service
from scoring.payloads import FLAG_REASONS
from scoring.prompts import LONGEST_PROMPT
from scoring.protocol import CheckedAnnotation, InvalidPayload, Protocol, Rating
from scoring.service import get_protocol

Rule = Callable[[Any], Any]
"""Returns the value to store; raises Unfit with the expected value."""

SHOWN: Final = 60
NOT_STORED_YET: Final = "the image is being restored"
"""Why there is no copy of an image whose file is not transferred yet."""
LARGEST: Final = 2**31 - 1
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_VERSION: Final = re.compile(r"[1-9][0-9]{0,8}\.(0|[1-9][0-9]{0,8})")
_CAUSE_KEYS: Final = ("causes", "proposed", "note")
_SHARE: Final = re.compile(r"[01]\.[0-9]{1,4}|[01]")
_FRACTION: Final = re.compile(r"[0-9]{1,400}(/[1-9][0-9]{0,400})?")


class Unfit(ValueError):
    """A value breaks its rule; the message says what is expected."""


def checked(row: Mapping[str, Any], rules: Mapping[str, Rule], where: str) -> dict[str, Any]:
    """Return a row's values to store; raise BundleRefused naming position, key, found and expected value."""
    for key in row:
        if key not in rules:
            raise BundleRefused(f"{where}: the key “{shown(key)}” is unknown; expected {', '.join(rules)}.")
    found = {}
    for key, rule in rules.items():
        if key not in row:
            raise BundleRefused(f"{where}: “{key}” is missing.")
        try:
            found[key] = rule(row[key])
        except Unfit as unfit:
            raise BundleRefused(f"{where}: “{key}” is {shown(row[key])}; expected {unfit}.") from None
    return found


def shown(value: object) -> str:
    """Return a foreign value shortened for a message."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    clipped = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return "".join(letter if letter.isprintable() else "�" for letter in clipped)


def text(longest: int, least: int = 0) -> Rule:
    """Return the rule for a text of this length that every database can store."""

    def rule(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value) <= longest or not storable(value):
            raise Unfit(f"a text of {least} to {longest} characters")
        return value

    return rule


def storable(value: object) -> bool:
    """Return whether PostgreSQL can store all that is inside: no NUL, lone surrogates or infinite numbers."""
    if isinstance(value, str):
        return is_storable(value)
    if isinstance(value, Mapping):
        return all(storable(key) and storable(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(storable, value))
    return not isinstance(value, float) or isfinite(value)


def whole(least: int, most: int = LARGEST) -> Rule:
    """Return the rule for a whole number within bounds."""

    def rule(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Unfit(f"a whole number from {least} to {most}")
        return value

    return rule


def one_of(choices: Collection[str]) -> Rule:
    """Return the rule for one of several texts."""

    def rule(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise Unfit(" or ".join(choices))
        return value

    return rule


def maybe(inner: Rule) -> Rule:
    """Return the rule for null or a value of another rule."""
    return lambda value: None if value is None else inner(value)


def truth(value: Any) -> bool:
    """Return a boolean; raise Unfit for any other value."""
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return value


def content(value: Any) -> str:
    """Return a SHA-256; raise Unfit for any other value."""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise Unfit("a SHA-256 in 64 hexadecimal digits")
    return value


def moment(value: Any) -> datetime:
    """Return the time that `rows.moment` wrote; raise Unfit for any other value."""
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    raise Unfit("a time such as 2026-03-01T09:30:00.000000Z")


def share(value: Any) -> Decimal:
    """Return a share with at most four decimals; raise Unfit for any other value."""
    if not isinstance(value, str) or not _SHARE.fullmatch(value) or Decimal(value) > 1:
        raise Unfit("a share from 0 to 1 such as 0.2500")
    return Decimal(value)


def an_object(value: Any) -> dict[str, Any]:
    """Return a JSON object that every database can store; raise Unfit for any other value."""
    if not isinstance(value, dict) or not storable(value):
        raise Unfit("an object")
    return value


def warnings(value: Any) -> list[dict[str, str]]:
    """Return the stored warnings of an annotation; raise Unfit for any other value."""
    keys = {"field", "code", "message"}
    fits = isinstance(value, list) and storable(value)
    if not fits or not all(isinstance(one, dict) and one.keys() == keys for one in value):
        raise Unfit("a list of warnings")
    return list(value)


def ratings(value: Any) -> list[list[str]]:
    """Return stored ratings (variable, component, fraction); raise Unfit for any other value."""
    if not isinstance(value, list) or not all(_is_rating(row) for row in value):
        raise Unfit("a list of ratings")
    return list(value)


def _is_rating(row: Any) -> bool:
    texts = isinstance(row, list) and len(row) == 3 and all(isinstance(one, str) for one in row)
    return texts and storable(row) and _FRACTION.fullmatch(row[2]) is not None


def row_as_it_was(value: Any) -> dict[str, Any]:
    """Return the sheet row of an imported annotation; raise Unfit for any other value."""
    row = an_object(value)
    named = isinstance(row.get("image_id", ""), str) and isinstance(row.get("cells", {}), dict)
    if not named or not all(isinstance(cell, str) for cell in row.get("cells", {}).values()):
        raise Unfit("the row it was imported from, with text cells")
    return row


def original_of_scaled(value: Any) -> dict[str, Any]:
    """Return what describes the file that an image was scaled down from; raise Unfit for any other value."""
    found = an_object(value)
    if set(found) != {"sha256", "format", "width", "height", "bytes"}:
        raise Unfit("sha256, format, width, height and bytes of the original file")
    if found["format"] not in FORMATS:
        raise Unfit(f"a known format: {', '.join(FORMATS)}")
    numbers = {name: whole(1)(found[name]) for name in ("width", "height", "bytes")}
    return {**found, **numbers, "sha256": content(found["sha256"])}


def lines_and_versions(value: Any) -> list[list[int]]:
    """Return pairs of line (0 if deleted) and version; raise Unfit for any other value."""
    pairs = isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value)
    if not pairs or not all(type(one) is int and 0 <= one <= LARGEST for pair in value for one in pair):
        raise Unfit("a list of pairs, line and version")
    return list(value)


def protocol(value: Any) -> str:
    """Return the slug of a known protocol; raise Unfit for any other value."""
    if not isinstance(value, str) or value not in service.PROTOCOLS:
        raise Unfit(f"a known protocol: {', '.join(sorted(service.PROTOCOLS))}")
    return value


def guideline_version(value: Any) -> str:
    """Return the number of a guideline's version; raise Unfit for any other value."""
    if not isinstance(value, str) or not _VERSION.fullmatch(value):
        raise Unfit("a version such as 1.2")
    return value


def a_list(value: Any) -> list[Any]:
    """Return a list; raise Unfit for any other value."""
    if not isinstance(value, list):
        raise Unfit("a list")
    return value


IMAGE_RULES: Final[Mapping[str, Rule]] = {
    "sha256": rules.content,
    "source_name": text(400),
    "format": one_of(FORMATS),
    "width": whole(1),
    "height": whole(1),
    "generator": text(120),
    "prompt": text(LONGEST_PROMPT),
    "prompt_group": text(80),
    "number": maybe(whole(0)),
    "attributes": rules.an_object,
    "scaled_from": maybe(rules.original_of_scaled),
    "file": maybe(text(200, 1)),
}
ASSIGNMENT_RULES: Final[Mapping[str, Rule]] = {
    "position": maybe(whole(0)),
    "status": one_of(Assignment.Status.values),
    "purpose": one_of(Assignment.Purpose.values),
    "drawn": one_of(Assignment.Drawn.values),
    "pass_no": whole(0, 32767),
}
ANNOTATION_RULES: Final[Mapping[str, Rule]] = {
    "payload": rules.an_object,
    "status": one_of(Annotation.Status.values),
    "version": whole(1),
    "warnings": rules.warnings,
    "ratings": maybe(rules.ratings),
    "source": maybe(rules.row_as_it_was),
    "capture": rules.an_object,
    "flagged": truth,
    "active_ms": maybe(whole(0, 2**63 - 1)),
    "saved_at": rules.moment,
    "submitted_at": maybe(rules.moment),
    "guideline": maybe(rules.guideline_version),
}
QUESTION_RULES: Final[Mapping[str, Rule]] = {
    "kind": one_of(Question.Kind.values),
    "reason": one_of(("", *FLAG_REASONS)),
    "text": text(2000),
    "state": one_of(Question.State.values),
    "version": whole(1),
    "asked_at": rules.moment,
    "open_since": rules.moment,
    "answered_at": maybe(rules.moment),
}
REPLY_RULES: Final[Mapping[str, Rule]] = {
    "by_lead": truth,
    "text": text(2000, 1),
    "created_at": rules.moment,
}
ANNOUNCEMENT_RULES: Final[Mapping[str, Rule]] = {
    "text": text(2000, 1),
    "created_at": rules.moment,
    "withdrawn_at": maybe(rules.moment),
}
ADJUDICATION_RULES: Final[Mapping[str, Rule]] = {
    "protocol": rules.protocol,
    "payload": rules.an_object,
    "ratings": rules.ratings,
    "status": one_of(Adjudication.Status.values),
    "version": whole(1),
    "note": text(2000),
    "causes": maybe(rules.an_object),
    "settled_from": rules.lines_and_versions,
    "decided_at": rules.moment,
}
REFERENCE_RULES: Final[Mapping[str, Rule]] = {
    "protocol": rules.protocol,
    "version": whole(1),
    "status": one_of(Reference.Status.values),
    "origin": one_of(Reference.Origin.values),
    "payload": rules.an_object,
    "ratings": rules.ratings,
    "rationales": rules.an_object,
    "made_at": rules.moment,
}


def require_annotation(values: Mapping[str, Any], batch: Batch, project: Project, where: str) -> None:
    """Raise BundleRefused for an annotation that is invalid or whose ratings do not follow from it."""
    protocol = get_protocol(batch.protocol)
    try:
        answer = protocol.clean(values["payload"], complete=False)
        made = _made(protocol, answer, project) if values["ratings"] is not None else None
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the annotation is invalid: {error}") from error
    submitted = values["status"] == Annotation.Status.SUBMITTED
    if submitted and (values["ratings"] is None or values["submitted_at"] is None):
        raise BundleRefused(f"{where}: a submitted annotation needs “ratings” and “submitted_at”.")
    if made is not None and not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings do not match the marks.")


def require_value(values: Mapping[str, Any], project: Project, where: str, what: str) -> None:
    """Raise BundleRefused for a lead's value that is invalid or whose ratings do not follow from it.

    `what` names it in the message.
    """
    protocol = get_protocol(values["protocol"])
    try:
        made = _made(protocol, protocol.clean(values["payload"]), project)
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the {what} is invalid: {error}") from error
    if not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings do not match the marks.")


def require_causes(values: Mapping[str, Any], where: str) -> None:
    """Raise BundleRefused for causes that no adjudication under its protocol stores."""
    causes, protocol = values["causes"], get_protocol(values["protocol"])
    offered = protocol.causes.offered if protocol.causes else ()
    if causes is not None and not protocol.causes:
        raise BundleRefused(f"{where}: the protocol {protocol.slug} has no causes.")
    components = {name for variable in protocol.variables for name in variable.components}
    for component, each in (causes or {}).items():
        place = f"{where}: the causes of “{shown(component)}”"
        if not any(name == component or name.startswith(f"{component}.") for name in components):
            raise BundleRefused(f"{place}: there is no such component.")
        if (
            not isinstance(each, dict)
            or {"causes", "proposed"} - each.keys()
            or each.keys() - set(_CAUSE_KEYS)
        ):
            raise BundleRefused(f"{place} are {shown(each)}; expected {', '.join(_CAUSE_KEYS)}.")
        for name in ("causes", "proposed"):
            if not isinstance(each[name], list) or any(cause not in offered for cause in each[name]):
                raise BundleRefused(
                    f"{place}: “{name}” is {shown(each[name])}; expected a list of {', '.join(offered)}."
                )
        if not each["causes"]:
            raise BundleRefused(f"{place}: at least one cause is needed.")
        note = each.get("note", "x")
        if not isinstance(note, str) or not 0 < len(note) <= LONGEST_CAUSE_NOTE:
            raise BundleRefused(
                f"{place}: the note is {shown(note)}; expected 1 to {LONGEST_CAUSE_NOTE} characters."
            )


def _made(protocol: Protocol, answer: CheckedAnnotation, project: Project) -> list[tuple[Rating, bool]]:
    """Return the ratings of an annotation, each with whether it depends on the project's settings."""
    settings = project.exact_weights
    others = protocol.ratings(answer, {name: weight * 2 + 1 for name, weight in settings.items()})
    made = protocol.ratings(answer, settings)
    return [(rating, rating != other) for rating, other in zip(made, others, strict=True)]


def _same(stored: list[list[str]], made: list[tuple[Rating, bool]]) -> bool:
    """Return whether ratings match. Those that depend on settings may come from earlier ones."""
    return len(stored) == len(made) and all(
        (variable, component) == rating[:2] and (varies or Fraction(value) == rating[2])
        for (variable, component, value), (rating, varies) in zip(stored, made, strict=True)
    )
