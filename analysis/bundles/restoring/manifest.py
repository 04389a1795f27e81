"""`project.json` of a bundle, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from analysis.bundles.contents import PROJECT
from analysis.bundles.data_sets import NAMES as OF_DATA_SETS
from analysis.bundles.reports import BUNDLED_KINDS
from analysis.bundles.restoring import data_sets, rules
from analysis.bundles.restoring.archive import LARGEST_ABOUT, BundleRefused, Opened
from analysis.bundles.restoring.rules import Rule, checked, maybe, one_of, text, truth, whole
from analysis.bundles.rows import SEEN_FIELDS
from analysis.bundles.standings import NAMES as STANDINGS
from annotator.batches.planning.design import SEEDS
from annotator.models import Batch, Plan
from annotator.models.projects import STANDING_DAYS
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.registry import page_of
from scoring.grid.severity_weights import weights_from

SEED: Final = whole(SEEDS.start, SEEDS.stop - 1)
ANY: Final[Rule] = lambda value: value  # noqa: E731
PROJECT_RULES: Final[Mapping[str, Rule]] = {
    "format": ANY,
    "version": ANY,
    "name": text(120, 1),
    "weights": rules.an_object,
    "standing_days": whole(0),
    "data_set": rules.an_object,
    "pictures": truth,
    "pseudonyms": truth,
    "licence": text(200),
    "counts": rules.an_object,
    "people": rules.a_list,
    "batches": rules.a_list,
    "plans": rules.a_list,
    "reports": rules.a_list,
}
MAYBE_COUNTED: Final = (
    "adjudications",
    "announcements",
    "faces",
    "guidelines",
    "normed_images",
    "norming_comments",
    "norming_sessions",
    "questions",
    "references",
    "replies",
    *STANDINGS,
    *OF_DATA_SETS,
)
"""A bundle without any omits their count."""
COUNT_RULES: Final[Mapping[str, Rule]] = {
    name: whole(0)
    for name in (
        *("images", "pictures_missing", "assignments", "annotations"),
        *MAYBE_COUNTED,
    )
}
PEOPLE_RULES: Final[Mapping[str, Rule]] = {"code": text(80, 1), "is_active": truth}
BATCH_RULES: Final[Mapping[str, Rule]] = {
    "name": text(120, 1),
    "protocol": rules.protocol,
    "overlap": rules.share,
    "coders": whole(0, 32767),
    "seed": maybe(SEED),
    "status": one_of((Batch.Status.OPEN.value, Batch.Status.CLOSED.value)),
    "show_prompt": truth,
    "show_generator": truth,
    "prompt_seen": one_of(Batch.Seen.values),
    "generator_seen": one_of(Batch.Seen.values),
    "guided": truth,
    "score_shown": one_of(Batch.ScoreShown.values),
    "settings": rules.an_object,
    "follows": maybe(whole(1)),
    "needs_standing": truth,
    "created_at": rules.moment,
}
LEFT_OUT_OF_BATCHES: Final[Mapping[str, Any]] = {
    **dict.fromkeys(SEEN_FIELDS, Batch.Seen.AS_SET.value),
    "settings": {},
    "follows": None,
    "needs_standing": False,
}
"""Defaults of a batch that the bundle does not state."""
PLAN_RULES: Final[Mapping[str, Rule]] = {
    "batch": whole(1),
    "kind": one_of(Plan.Kind.values),
    "seed": SEED,
    "algorithm": text(40, 1),
    "certificate": rules.content,
    "reason": text(400),
    "created_at": rules.moment,
    "file": text(200, 1),
}
LEFT_OUT_OF_REPORTS: Final[Mapping[str, Any]] = {"protocol": DEFAULT_PROTOCOL, "settings": {}}
REPORT_RULES: Final[Mapping[str, Rule]] = {
    "kind": one_of(BUNDLED_KINDS),
    "protocol": rules.protocol,
    "settings": rules.an_object,
    "annotations": whole(0),
    "code_version": text(40),
    "current": truth,
    "file": text(200, 1),
    "started_at": maybe(rules.moment),
    "finished_at": rules.moment,
    "checked_at": maybe(rules.moment),
}


@dataclass(frozen=True)
class Manifest:
    """The content of project.json as rows to store; `seen` is whether it records what annotators saw."""

    name: str
    weights: Mapping[str, Any]
    standing_days: int
    data_set: Mapping[str, Any]
    pictures: bool
    counts: Mapping[str, int]
    people: list[dict[str, Any]]
    batches: list[dict[str, Any]]
    plans: list[dict[str, Any]]
    reports: list[dict[str, Any]]
    seen: bool


def read_manifest(bundle: Opened) -> Manifest:
    """Return the content of project.json; raise BundleRefused naming the position of an error."""
    left_out = {"standing_days": STANDING_DAYS, "data_set": {}}
    found = checked({**left_out, **bundle.object(PROJECT, LARGEST_ABOUT)}, PROJECT_RULES, PROJECT)
    try:
        weights_from(found["weights"])
    except ValueError as error:
        raise BundleRefused(f"{PROJECT}: {error}.") from error
    made = Manifest(
        name=found["name"],
        weights=found["weights"],
        standing_days=found["standing_days"],
        data_set=data_sets.stored_settings(found["data_set"], f"{PROJECT}, data_set"),
        pictures=found["pictures"],
        counts=checked(
            {**dict.fromkeys(MAYBE_COUNTED, 0), **found["counts"]}, COUNT_RULES, f"{PROJECT}, counts"
        ),
        people=_rows(found, "people", PEOPLE_RULES),
        batches=_rows(found, "batches", BATCH_RULES, LEFT_OUT_OF_BATCHES),
        plans=_rows(found, "plans", PLAN_RULES),
        reports=_rows(found, "reports", REPORT_RULES, LEFT_OUT_OF_REPORTS),
        seen=all(name in row for row in found["batches"] for name in SEEN_FIELDS),
    )
    _require_once(made.people, ("code",), "people")
    _require_once(made.batches, ("name",), "batches")
    _require_once(made.reports, ("kind", "protocol"), "reports")
    for place, batch in enumerate(made.batches, 1):
        _require_settings(batch, f"{PROJECT}, batches {place}")
        _require_followed(made.batches, place)
    _require_once(made.plans, ("file",), "plans")
    for place, plan in enumerate(made.plans, 1):
        if plan["batch"] > len(made.batches):
            raise BundleRefused(
                f"{PROJECT}, plans {place}: “batch” is {plan['batch']}; there are {len(made.batches)}."
            )
    return made


def _rows(
    found: Mapping[str, Any],
    name: str,
    row_rules: Mapping[str, Rule],
    left_out: Mapping[str, Any] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    rows = []
    for place, row in enumerate(found[name], 1):
        where = f"{PROJECT}, {name} {place}"
        if not isinstance(row, dict):
            raise BundleRefused(f"{where}: expected an object.")
        rows.append(checked({**left_out, **row}, row_rules, where))
    return rows


def _require_settings(batch: Mapping[str, Any], where: str) -> None:
    """Raise BundleRefused for settings unknown to the batch's protocol."""
    if batch["settings"]:
        try:
            page_of(batch["protocol"]).checked(batch["settings"])
        except (KeyError, ValueError) as error:
            none = isinstance(error, KeyError)
            said = f"The protocol {batch['protocol']!r} has no settings." if none else error
            raise BundleRefused(f"{where}: “settings” are invalid: {said}") from error


def _require_followed(batches: Sequence[Mapping[str, Any]], place: int) -> None:
    """Raise BundleRefused if a batch follows a missing one or, through others, itself."""
    where, follows = f"{PROJECT}, batches {place}", batches[place - 1]["follows"]
    if follows is not None and follows > len(batches):
        raise BundleRefused(f"{where}: “follows” is {follows}; there are {len(batches)}.")
    for _ in batches:
        if follows == place:
            raise BundleRefused(f"{where}: “follows” leads back to this batch; expected an earlier stage.")
        if follows is None or follows > len(batches):
            return
        follows = batches[follows - 1]["follows"]


def _require_once(rows: list[dict[str, Any]], keys: tuple[str, ...], name: str) -> None:
    seen = set()
    for place, row in enumerate(rows, 1):
        values = tuple(row[key] for key in keys)
        if values in seen:
            raise BundleRefused(
                f"{PROJECT}, {name} {place}: “{keys[0]}” {rules.shown(values[0])} occurs twice."
            )
        seen.add(values)
