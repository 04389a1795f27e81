"""Titles and details of a project's events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.models import Event, Membership, Standing
from annotator.records.retention import KEPT
from annotator.templatetags.anatomark import score
from annotator.web.views.annotation_details import VERBS, history_row

Details = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True)
class Group:
    """A group of events: the filter's slug and title, and the verbs it includes."""

    slug: str
    title: str
    verbs: tuple[str, ...]


@dataclass(frozen=True)
class EventRow:
    """One event in a list: `code` is the actor's code in the project; it and `details` may be empty."""

    event: Event
    title: str
    details: str
    code: str = ""


def row_of(event: Event, codes: Mapping[int, str]) -> EventRow:
    """Return the row of an Event; an unknown verb becomes its title.

    `codes` maps accounts to members' codes in the project.
    """
    code = codes.get(event.actor_id, "") if event.actor_id is not None else ""
    if event.assignment_id is not None:
        said = history_row(event)
        return EventRow(event, said.title, said.reason, code)
    title, details = _WORDS.get(event.verb, (event.verb.replace("_", " ").capitalize(), _named))
    return EventRow(event, title, details(event.data), code)


def _named(data: Mapping[str, Any]) -> str:
    """Return the name, file or reason that most events carry."""
    found = (data.get(name) for name in ("name", "code", "file", "words", "reason"))
    return "; ".join(str(value) for value in found if value)


def _faces(data: Mapping[str, Any]) -> str:
    found = data.get("rectangles", ())
    return f"image {str(data.get('sha256'))[:12]}: {_number(len(found), 'face') if found else 'no face'}"


def _person(data: Mapping[str, Any]) -> str:
    role = data.get("role", "")
    return f"{data.get('code', '')}, {_role(role)}" if role else str(data.get("code", ""))


def _new_role(data: Mapping[str, Any]) -> str:
    before = (data.get("replaced") or {}).get("role", "")
    return f"{data.get('code', '')}: {_role(before)} → {_role(data.get('role', ''))}"


def _attempt(data: Mapping[str, Any]) -> str:
    outcome = {True: "passed", False: "not passed"}.get(data.get("passed"), "")  # type: ignore[arg-type]
    parts = (data.get("name", ""), data.get("code", ""), f"attempt {data.get('number', '')}", outcome)
    return ", ".join(str(part) for part in parts if part)


def _standing(data: Mapping[str, Any]) -> str:
    before = (data.get("replaced") or {}).get("state", "")
    moved = f"{data.get('code', '')}: {_state(before)} → {_state(data.get('state', ''))}"
    return "; ".join(filter(None, (moved, data.get("reason", ""))))


def _state(state: str) -> str:
    known = state in Standing.State.values
    return str(Standing.State(state).label).lower() if known else str(state)


def _recruited(data: Mapping[str, Any]) -> str:
    first, last = data.get("codes") or ("", "")
    return first if first == last else f"{first} to {last}"


def _role(role: str) -> str:
    return str(Membership.Role(role).label).lower() if role in Membership.Role.values else str(role)


def _batch(data: Mapping[str, Any]) -> str:
    return ": ".join(str(data[name]) for name in ("name", "reason") if data.get(name))


def _people_changed(data: Mapping[str, Any]) -> str:
    parts = [str(data.get("name", ""))]
    parts += [f"{word} {', '.join(data[name])}" for name, word in _MOVES if data.get(name)]
    parts.append(f"{data.get('withdrawn', 0):,} withdrawn, {data.get('added', 0):,} added")
    return "; ".join(filter(None, parts))


def _settings(data: Mapping[str, Any]) -> str:
    before, after = data.get("replaced") or {}, data.get("settings") or {}
    changed = [name for name in after if before.get(name) != after[name]]
    return "; ".join(f"{name.replace('_', ' ')}: {before.get(name)} → {after[name]}" for name in changed)


def _prompts(data: Mapping[str, Any]) -> str:
    groups, before = data.get("groups") or {}, data.get("replaced") or {}
    said = [
        f"{prompt}: {before.get(prompt) or 'none'} → {group or 'none'}" for prompt, group in groups.items()
    ]
    return "; ".join([*said[:_LISTED], *([f"{len(said) - _LISTED:,} more"] if len(said) > _LISTED else [])])


def _export(data: Mapping[str, Any]) -> str:
    hidden = "pseudonyms" if data.get("pseudonyms") else ""
    told = (data.get("protocol", ""), data.get("layout", ""), data.get("format", ""), hidden)
    return ", ".join(filter(None, told))


def _image(data: Mapping[str, Any]) -> str:
    before, after = data.get("old") or {}, data.get("new") or {}
    return "; ".join(f"{name.replace('_', ' ')}: {before.get(name)} → {after[name]}" for name in after)


def _respelt(data: Mapping[str, Any]) -> str:
    return f"{data.get('column', '')}: {data.get('old', '')} → {data.get('new', '')}"


def _counted(data: Mapping[str, Any]) -> str:
    said = [f"{data[name]:,} {name}" for name in ("images", "annotations") if isinstance(data.get(name), int)]
    return ", ".join(filter(None, (data.get("file") or data.get("name") or "", *said)))


def _files(data: Mapping[str, Any]) -> str:
    counts = data.get("files") or {}
    return ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)


def _named_by(data: Mapping[str, Any]) -> str:
    new = data.get("new") or {}
    given = [f"{name}: {text}" for name, text in (new.get("defaults") or {}).items()]
    return "; ".join(filter(None, (new.get("pattern", ""), *given)))


def _normed(data: Mapping[str, Any]) -> str:
    return f"{data.get('name', '')}, image {data.get('place')}"


def _version(data: Mapping[str, Any]) -> str:
    numbered = f"{data.get('protocol')} {data.get('version')}"
    return ": ".join(filter(None, (numbered, data.get("summary"))))


def _picture(data: Mapping[str, Any]) -> str:
    number = data.get("number")
    place = " · ".join(str(part) for part in (data.get("generator"), data.get("prompt"), number) if part)
    return ": ".join(str(part) for part in (place, data.get("reason")) if part)


def _adjudicated(data: Mapping[str, Any]) -> str:
    before = data.get("replaced") or {}
    was = before["ratings"][0][2] if before.get("status") == "settled" else None
    values = [score(value) for value in (was, data.get("score")) if value is not None]
    return f"{_picture(data)}: {' → '.join(values)}"


def _adjudicator(data: Mapping[str, Any]) -> str:
    hidden = data.get("codes_hidden")
    codes = "" if hidden is None else f"codes {'hidden' if hidden else 'shown'}"
    return ", ".join(filter(None, (f"{data.get('name')}: {data.get('code')}", codes)))


def _filtered(data: Mapping[str, Any]) -> str:
    left_out = _number(data["counts"].get("excluded", 0), "image")
    return f"{data['file']}: {left_out} left out" if data["file"] else f"{left_out} left out"


def _removed(data: Mapping[str, Any]) -> str:
    return f"{_picture(data)}, with {_number(data.get('annotations'), 'annotation')}"


def _retention(data: Mapping[str, Any]) -> str:
    before, after = data.get("replaced") or {}, data.get("settings") or {}
    return "; ".join(
        f"{kept.title}: {_days(before.get(kept.name))} → {_days(after.get(kept.name))}"
        for kept in KEPT
        if before.get(kept.name) != after.get(kept.name)
    )


def _tags(data: Mapping[str, Any]) -> str:
    return " → ".join(", ".join(data[names]) or "none" for names in ("replaced", "tags"))


def _days(days: object) -> str:
    return "unlimited" if days is None else _number(days, "day")


def _edited(data: Mapping[str, Any]) -> str:
    before, after = data.get("replaced") or {}, data.get("settings") or {}
    said = "; ".join(f"{name.replace('_', ' ')}: {before.get(name)} → {after[name]}" for name in after)
    return ": ".join(filter(None, (str(data.get("code", "")), said)))


def _number(count: object, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}" if isinstance(count, int) else ""


_LISTED: Final = 3
_MOVES: Final = (("left", "removed"), ("joined", "added"))

_PEOPLE: Final[Mapping[str, tuple[str, Details]]] = {
    "person_added": ("Person added", _person),
    "person_invited": ("Person invited", _person),
    "invitation_renewed": ("New link for an invitation", _person),
    "invitation_mailed": ("Invitation sent by email", _person),
    "invitation_revoked": ("Invitation revoked", _person),
    "invitation_accepted": ("Invitation accepted", _person),
    "recruitment_opened": ("Recruitment link created", _recruited),
    "recruitment_renewed": ("New recruitment link", lambda _: ""),
    "recruitment_joined": ("Joined by recruitment link", _person),
    "recruitment_closed": ("Recruitment link closed", lambda _: ""),
    "faces_right_changed": (
        "Right to mark faces changed",
        lambda data: f"{data['code']}: {'may mark faces' if data['draws_faces'] else 'no longer'}",
    ),
    "role_changed": ("Role changed", _new_role),
    "person_deactivated": ("Person deactivated", _person),
    "person_reactivated": ("Person reactivated", _person),
    "account_deleted": ("Account deleted, annotations kept", _person),
    "membership_added": ("Person added by an administrator", _person),
    "membership_changed": ("Person changed by an administrator", _edited),
    "person_unlinked": ("Account link removed (data retention)", _person),
    "invitation_addresses_removed": (
        "Email addresses of expired invitations deleted (data retention)",
        lambda data: _number(data.get("invitations"), "invitation"),
    ),
    "invitation_notes_removed": (
        "Invitation notes deleted (data retention)",
        lambda data: _number(data.get("invitations"), "invitation"),
    ),
}
_BATCHES: Final[Mapping[str, tuple[str, Details]]] = {
    "batch_released": ("Batch released", _batch),
    "batch_discarded": ("Unfinished batch discarded", _batch),
    "batch_closed": ("Batch closed", _batch),
    "batch_reopened": ("Batch reopened", _batch),
    "batch_settings_changed": ("Batch settings changed", _settings),
    "people_changed": ("Batch annotators changed", _people_changed),
    "adjudicator_added": ("Adjudicator added", _adjudicator),
    "adjudicator_changed": ("Adjudicator’s setting changed", _adjudicator),
    "adjudicator_removed": ("Adjudicator removed", _adjudicator),
    "announced": ("Announcement sent", _batch),
    "announcement_withdrawn": ("Announcement withdrawn", _batch),
}
_IMAGES: Final[Mapping[str, tuple[str, Details]]] = {
    "project_created": ("Project created", _named),
    "project_changed": ("Project changed by an administrator", _edited),
    "project_deleted": ("Project deleted", _named),
    "project_taken_back": ("Project deletion undone", lambda _: ""),
    "retention_set": ("Data retention changed", _retention),
    "tags_set": ("Tags changed", _tags),
    "protocols_set": ("What is measured changed", lambda data: ", ".join(data["protocols"])),
    "upload_begun": ("Upload started", lambda _: ""),
    "upload_read": ("File names checked", _files),
    "upload_pattern_set": ("Names read anew", _named_by),
    "upload_stored": ("Upload stored", _files),
    "upload_discarded": ("Upload discarded", lambda data: _number(data.get("files"), "file")),
    "study_imported": ("Study imported", _counted),
    "answers_imported": ("Annotations imported", _counted),
    "image_changed": ("Image changed", _image),
    "images_respelt": ("Spelling changed", _respelt),
    "prompt_groups_set": ("Prompt groups set", _prompts),
    "image_deleted": ("Image deleted", _picture),
    "image_taken_back": ("Image deletion undone", _picture),
    "image_removed": ("Image purged", _removed),
    "faces_decided": ("Faces marked", _faces),
    "faces_withdrawn": ("Decision on faces withdrawn", _faces),
    "faces_imported": ("Faces imported", lambda data: f"{data['file']}; {_number(data['images'], 'image')}"),
    "data_set_settings": ("Data set settings changed", lambda _: ""),
    "data_set_filtered": ("Images filtered by detections", _filtered),
    "data_set_taken_back": (
        "Filtered images taken back or left out again",
        lambda data: (
            f"{_number(len(data['images']), 'image')} {'taken back' if data['kept'] else 'left out'}"
        ),
    ),
}
_GUIDELINES: Final[Mapping[str, tuple[str, Details]]] = {
    "guideline_changed": ("Guideline draft changed", lambda data: f"{data.get('protocol')}"),
    "guideline_published": ("Guideline published", _version),
    "reference_added": ("Reference made", _named),
    "reference_explained": ("Rationales of a reference changed", _named),
    "reference_retired": ("Reference retired", _named),
    "attempt_begun": ("Further attempt at a qualification begun", _attempt),
    "attempt_ended": ("Attempt at a qualification ended", _attempt),
    "standing_changed": ("Standing changed", _standing),
    "standing_days_set": (
        "Days until a standing lapses changed",
        lambda data: f"{data.get('replaced')} → {data.get('days')}",
    ),
    "norming_started": ("Norming session started", _named),
    "norming_revealed": ("Norming session revealed", _named),
    "norming_discussed": ("Norming session: discussion begun", _named),
    "norming_commented": ("Norming session: comment", _normed),
    "norming_agreed": ("Norming session: value agreed", _normed),
    "norming_closed": ("Norming session closed", _named),
    "norming_exported": ("Norming session exported", _named),
}
_SETTLED: Final[Mapping[str, tuple[str, Details]]] = {
    "adjudicated": ("Image adjudicated", _adjudicated),
    "adjudication_changed": ("Adjudication changed", _adjudicated),
    "adjudication_withdrawn": ("Adjudication withdrawn", _adjudicated),
}
_OUT: Final[Mapping[str, tuple[str, Details]]] = {
    "exported": ("Exported", _export),
    "bundled": ("Publication bundle created", _named),
    "need_resolved": ("Resolved on the overview", _batch),
    "interim_results_opened": (
        "Results opened before the end",
        lambda data: f"{data['done']:,} of {data['total']:,} annotations",
    ),
    "job_cancelled": ("Job cancelled", lambda data: str(data.get("kind", "")).replace("_", " ")),
}
_WORDS: Final[Mapping[str, tuple[str, Details]]] = {
    **_PEOPLE,
    **_BATCHES,
    **_IMAGES,
    **_GUIDELINES,
    **_SETTLED,
    **_OUT,
}

GROUPS: Final = (
    Group("people", "People and roles", tuple(_PEOPLE)),
    Group("batches", "Batches and plans", tuple(_BATCHES)),
    Group("images", "Project, images and imports", tuple(_IMAGES)),
    Group("guidelines", "Guideline, references, qualification and norming", tuple(_GUIDELINES)),
    Group("settled", "Adjudications", tuple(_SETTLED)),
    Group("out", "Exports, jobs and the overview", tuple(_OUT)),
    Group("answers", "Annotations", tuple(VERBS)),
)
