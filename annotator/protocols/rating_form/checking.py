"""The checks of a rating form: a Django form for each item, and one for the whole.

The builder sends its fields; JSON from a file or a template is turned into the same input (`typed`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify

from annotator.protocols.rating_form.stored import FormRefused
from scoring.rating_form.definition import (
    CANNOT_JUDGE,
    MEAN,
    OVERALL,
    Condition,
    FormDefinition,
    Item,
    word_of,
)
from scoring.rating_form.protocol import decimal_text, exact_number

KINDS: Final = {
    "scale": "Scale",
    "yes_no": "Yes or no",
    "choice": "One option",
    "several": "Several options",
    "number": "Number",
    "text": "Text",
}
_BETTER: Final = [("", "Neither"), ("high", "Higher is better"), ("low", "Lower is better")]
_ORDERS: Final = [("fixed", "As listed"), ("shuffled", "Another for each annotator")]
_PROMPTS: Final = [("batch", "As the batch says"), ("shown", "Always shown"), ("hidden", "Always hidden")]
_NO_NAME: Final = {"invalid": "The name has other characters."}
MOST_ITEMS: Final = 12
MOST_BYTES: Final = 64 * 1024
MOST_STEPS: Final = 1000
RESERVED: Final = frozenset(
    {CANNOT_JUDGE, MEAN, OVERALL, "note", "flag", "tags", "image", "generator", "prompt", "group", "number"}
    | {"annotator", "batch", "protocol", "version", "score", "seconds", "image_id", "file", "status", "drawn"}
    | {"guideline", "submitted_at", "prompt_group", "sha256", "value", "annotations", "annotators"}
    | {"tag_1", "tag_2"}
)
"""Names that columns of exports have already."""
_ITEM_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,29}")
_POINT: Final = re.compile(r"([-−]?(?:100|[0-9]{1,2}))\s*(?:=\s*(.*))?")
_OPTION: Final = re.compile(r"(?:([a-z][a-z0-9_]{0,29})\s*=\s*)?(.+)")
_OF_ALL: Final = ("kind", "title", "help", "required", "points", "options")
_OF_KIND: Final = {
    "scale": ("better",),
    "yes_no": ("better",),
    "number": ("better", "least", "most", "step", "slider"),
}


def _name_from(title: str, joined: str, longest: int, taken: Container[str] = ()) -> str:
    """Return a name made of a title's letters and digits, with a number if it is taken."""
    plain = re.sub("[-_]+", joined, slugify(title)).strip(joined)
    plain = plain if plain[:1].isalpha() else f"q{joined}{plain}".rstrip(joined)
    numbered = (f"{plain[: longest - 3].rstrip(joined)}{joined}{number}" for number in range(2, 40))
    return next(name for name in (plain[:longest].rstrip(joined), *numbered) if name not in taken)


class ItemForm(forms.Form):
    """One question. `lines` holds the points or the options, one a line."""

    name = forms.CharField(required=False, max_length=30)
    kind = forms.ChoiceField(choices=list(KINDS.items()))
    title = forms.CharField(max_length=200, error_messages={"required": "Enter the question."})
    help = forms.CharField(required=False, max_length=600)
    required = forms.BooleanField(required=False)
    cannot_judge = forms.BooleanField(required=False)
    better = forms.ChoiceField(choices=_BETTER, required=False)
    lines = forms.CharField(required=False, max_length=2000)
    least = forms.CharField(required=False, max_length=14)
    most = forms.CharField(required=False, max_length=14)
    step = forms.CharField(required=False, max_length=14)
    slider = forms.BooleanField(required=False)
    low_end = forms.CharField(required=False, max_length=60)
    high_end = forms.CharField(required=False, max_length=60)
    when_item = forms.CharField(required=False, max_length=4)
    when_is = forms.CharField(required=False, max_length=400)

    def clean(self) -> dict[str, Any]:
        """Read points, options and bounds; only those of the kind are kept."""
        said: dict[str, Any] = self.cleaned_data
        kind = said.get("kind")
        texts = [text.strip() for text in said.get("lines", "").splitlines() if text.strip()]
        try:
            said["points"] = _points(texts) if kind == "scale" else ()
            said["options"] = _options(texts) if kind in {"choice", "several"} else ()
        except ValidationError as error:
            self.add_error("lines", error)
        if kind == "number":
            self._read_bounds(said)
        return said

    def _read_bounds(self, said: dict[str, Any]) -> None:
        said["step"] = said.get("step") or "1"
        read = {name: exact_number(said.get(name, "")) for name in ("least", "most", "step")}
        for name, number in read.items():
            if number is None:
                self.add_error(name, "Enter a number such as 0 or 2.5.")
            else:
                said[name] = decimal_text(number)
        least, most, step = read.values()
        if least is None or most is None or step is None:
            return
        if least >= most:
            self.add_error("most", "The greatest number must be above the least.")
        elif step <= 0 or (most - least) % step or (most - least) / step > MOST_STEPS:
            words = f"The steps must lead from the least to the greatest number, {MOST_STEPS} at most."
            self.add_error("step", words)

    @property
    def gist(self) -> str:
        """What a closed question shows of its answers: the first and the last, or the bounds."""
        least, most, lines = (str(self[name].value() or "") for name in ("least", "most", "lines"))
        if self["kind"].value() == "number":
            return f"{least} to {most}"
        texts = [" ".join(text.split("=")) for text in lines.splitlines() if text.strip()]
        return f"{texts[0]} … {texts[-1]}" if texts else ""

    def item(self, earlier: Mapping[str, Item]) -> Item:
        """Return the item of a valid form, without what its kind does not have; adds errors, too."""
        said = dict(self.cleaned_data)
        kind, names = said["kind"], {item.name for item in earlier.values()}
        name = said["name"] or _name_from(said["title"], "_", 30, RESERVED | names)
        if name in RESERVED or not _ITEM_NAME.fullmatch(name):
            self.add_error("title", f"“{name}” cannot be the name of a column. Enter another.")
        elif name in names:
            self.add_error("title", f"Two questions are named “{name}”.")
        own = {key: said[key] for key in (*_OF_ALL, *_OF_KIND.get(kind, ()))}
        if kind == "number" and any(ends := (said["low_end"], said["high_end"])):
            own["ends"] = ends
        judged = said["cannot_judge"] and kind not in {"several", "text"}
        when = self._condition(earlier, said["when_item"], said["when_is"]) if said["when_item"] else None
        return Item(name=name, cannot_judge=judged, when=when, **own)

    def _condition(self, earlier: Mapping[str, Item], key: str, texts: str) -> Condition | None:
        parent = earlier.get(key)
        if parent is None or parent.when is not None or parent.kind not in {"scale", "yes_no", "choice"}:
            self.add_error("when_item", "Choose an earlier question that is always asked.")
            return None
        answers = {text.strip(): parent.words.get(text.strip().casefold()) for text in texts.split(";")}
        for text in (text for text, answer in answers.items() if answer is None):
            self.add_error("when_is", f"“{text}” is not an answer to “{parent.title}”.")
        return Condition(parent.name, tuple(answers.values()))


def _points(texts: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Return the points of a scale; raises ValidationError."""
    points: list[tuple[int, str]] = []
    for text in texts:
        if (read := _POINT.fullmatch(text)) is None:
            raise ValidationError(f"“{text[:40]}”: begin with a whole number, such as 1 = Very poor.")
        points.append((int(read[1].replace("−", "-")), (read[2] or "").strip()))
    values = [value for value, _ in points]
    if not 2 <= len(set(values)) == len(values) <= 11:
        raise ValidationError(f"Enter 2 to 11 different points, one a line; there are {len(set(values))}.")
    if values != sorted(values):
        raise ValidationError("List the points from the lowest to the highest.")
    return tuple(points)


def _options(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the options; raises ValidationError."""
    options: dict[str, str] = {CANNOT_JUDGE: ""}
    for given, label in (read.groups("") for text in texts if (read := _OPTION.fullmatch(text))):
        key = given or _name_from(label, "_", 30, options)
        if key in options:
            raise ValidationError(f"Two options are named “{key}”.")
        options[key] = label
    del options[CANNOT_JUDGE]
    if not 2 <= len(options) <= 12:
        raise ValidationError(f"Enter 2 to 12 options, one a line; there are {len(options)}.")
    return tuple(options.items())


class HeadForm(forms.Form):
    """What belongs to a form as a whole. `headline` is the id of an item, `mean`, or empty for the first."""

    name = forms.RegexField(r"^[a-z][a-z0-9-]{0,21}$", required=False, error_messages=_NO_NAME)
    title = forms.CharField(max_length=120, error_messages={"required": "Enter the title."})
    instructions = forms.CharField(required=False, max_length=600)
    headline = forms.CharField(required=False, max_length=4)
    order = forms.ChoiceField(choices=_ORDERS, required=False)
    prompt = forms.ChoiceField(choices=_PROMPTS, required=False)
    adjudicate = forms.BooleanField(required=False)


class FormDraft:
    """A form as typed: `data` holds the fields, `ids` the items' in order, `open` the one being edited."""

    mean = MEAN

    def __init__(self, data: Mapping[str, str]) -> None:
        self.data = {key: data[key] for key in data}
        self.ids = list(dict.fromkeys(key for key in self.data.get("ids", "").split() if key.isdigit()))[:40]
        self.open = self.data.get("open", "")
        self.refused: list[str] = []
        self._bind()

    def _bind(self) -> None:
        self.head = HeadForm(self.data)
        self.items = {key: ItemForm(self.data, prefix=f"i{key}") for key in self.ids}

    def change(self, verb: str, target: str) -> None:
        """Add an item of a kind; or open, close, move or remove one by its id. Others change nothing."""
        at = self.ids.index(target) if target in self.ids else None
        if verb == "add" and target in KINDS:
            key = str(max(map(int, self.ids), default=0) + 1)
            scales = [one for one in self.ids if self.data.get(f"i{one}-kind") == "scale"]
            # The questions of a scheme mostly share their points.
            lines = self.data.get(f"i{scales[-1]}-lines", "") if scales else "1\n2\n3\n4\n5"
            better = "high" if target in {"scale", "number"} else ""
            more = {"lines": lines if target == "scale" else "", "better": better}
            fields = {"kind": target, "required": "on", **more}
            self.data |= {f"i{key}-{name}": text for name, text in fields.items()}
            self.ids.append(key)
            self.open = key
        elif at is None:
            return
        elif verb in {"open", "close"}:
            self.open = target if verb == "open" else ""
        elif verb == "remove":
            self.ids.remove(target)
        elif verb in {"up", "down"}:
            self.ids.remove(target)
            self.ids.insert(max(at - 1, 0) if verb == "up" else at + 1, target)
        self._bind()

    def definition(self) -> FormDefinition | None:
        """Return the form; None if something is wrong, which then stands in the forms and `refused`."""
        self.refused = []
        if not 1 <= len(self.ids) <= MOST_ITEMS:
            self.refused.append(f"A form has 1 to {MOST_ITEMS} questions; this one has {len(self.ids)}.")
        valid = [self.head.is_valid(), *(form.is_valid() for form in self.items.values())]
        if self.refused or not all(valid):
            return None
        items: dict[str, Item] = {}
        for key, form in self.items.items():
            items[key] = form.item(items)
        said = {key: value for key, value in self.head.cleaned_data.items() if value}
        said["name"] = said.get("name") or _name_from(said["title"], "-", 22)
        said["headline"] = self._headline(said.get("headline", ""), items)
        made = FormDefinition(**said, items=tuple(items.values()))
        return None if self.refused or any(form.errors for form in self.items.values()) else made

    def _headline(self, key: str, items: Mapping[str, Item]) -> str:
        """Return the name of the item, or `mean`, by which images are compared."""
        scales = [item for item in items.values() if item.points]
        numbers = {key: item for key, item in items.items() if item.is_number}
        if key == MEAN:
            if len(scales) < 2 or len({tuple(point for point, _ in item.points) for item in scales}) > 1:
                self.refused.append("The mean needs two or more scales with the same points.")
            elif len({item.better for item in scales}) > 1:
                self.refused.append("The mean needs scales of which the same end is better.")
            return MEAN
        if not numbers:
            words = "Add a scale, a number or a yes-or-no question: reports compare images by one number."
            self.refused.append(words)
        elif key and key not in numbers:
            self.refused.append("Choose another question for reports: a scale, a number, or yes or no.")
        item = numbers.get(key) or next(iter(numbers.values()), None)
        if item is not None and item.kind in {"scale", "number"} and not item.better:
            words = f"Say which end of “{item.title}” is better: reports compare images by it."
            self.refused.append(words)
        return item.name if item else ""


def typed(data: Mapping[str, Any]) -> dict[str, str]:
    """Return a definition as the builder's fields. Raises FormRefused if it has another shape."""
    try:
        numbered = {str(at): item for at, item in enumerate(data["items"], start=1)}
        ids = {item["name"]: at for at, item in numbered.items()}
        found = {key: data.get(key, "") for key in ("name", "title", "instructions", "order", "prompt")}
        found |= {"ids": " ".join(numbered), "adjudicate": "on" if data.get("adjudicate") else ""}
        found["headline"] = {**ids, MEAN: MEAN}.get(data.get("headline", ""), "")
        for at, item in numbered.items():
            found |= {f"i{at}-{key}": text for key, text in _typed_item(item, ids).items()}
        if not all(isinstance(text, str) for text in found.values()):
            raise TypeError("expected texts")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FormRefused("The file is not a rating form.", "not-a-form") from error
    return found


def _typed_item(item: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, str]:
    plain = ("name", "kind", "title", "help", "better", "least", "most", "step")
    found = {key: item.get(key, "") for key in plain}
    found |= {key: "on" for key in ("required", "cannot_judge", "slider") if item.get(key)}
    pairs = [*item.get("points", ()), *item.get("options", ())]
    found["lines"] = "\n".join(f"{value} = {label}" if label else str(value) for value, label in pairs)
    if ends := item.get("ends"):
        found["low_end"], found["high_end"] = ends
    if when := item.get("when"):
        found |= {"when_item": ids.get(when["item"], "0"), "when_is": "; ".join(map(word_of, when["is"]))}
    return found


def draft_of_file(content: bytes) -> FormDraft:
    """Return the draft of a JSON file. Raises FormRefused, which names the line of an error."""
    if len(content) > MOST_BYTES:
        kilobytes = -(-len(content) // 1024)
        raise FormRefused(f"The file has {kilobytes} KB; the limit is {MOST_BYTES // 1024} KB.", "too-large")
    try:
        data = json.loads(content)
    except json.JSONDecodeError as error:
        raise FormRefused(f"Line {error.lineno}: {error.msg[:1].lower()}{error.msg[1:]}.", "json") from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise FormRefused("The file is not a rating form.", "not-a-form") from error
    # In a bundle, the definition is a part of the protocol's description.
    described = isinstance(data, dict) and {"form", "protocol"} <= data.keys()
    draft = FormDraft(typed(data["form"] if described else data))
    if described and (definition := draft.definition()) and definition.slug != data["protocol"]:
        words = f"protocols/{data['protocol']}.json: the definition does not match its name."
        raise FormRefused(words, "not-its-name")
    return draft


def definition_of_file(content: bytes) -> FormDefinition:
    """Return the checked form of a JSON file. Raises FormRefused, which names the question of each error."""
    draft = draft_of_file(content)
    if definition := draft.definition():
        return definition
    faults = {"": draft.refused} if draft.refused else {}
    faults |= {name: [*map(str, texts)] for name, texts in draft.head.errors.items()}
    words = [text for texts in faults.values() for text in texts]
    for place, form in enumerate(draft.items.values()):
        faults |= {f"items.{place}.{name}": [*map(str, texts)] for name, texts in form.errors.items()}
        words += [f"Question {place + 1}: {text}" for texts in form.errors.values() for text in texts]
    raise FormRefused(" ".join(words), "invalid", faults)
