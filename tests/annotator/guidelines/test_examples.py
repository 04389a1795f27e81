"""Examples of a guideline, and its Markdown."""

from __future__ import annotations

import json
import re
import time

import pytest

from annotator.guidelines.content import LONGEST_TEXT, Decision
from annotator.guidelines.examples import example_image_for
from annotator.guidelines.publishing import guide_of
from annotator.guidelines.reading import DEEPEST, as_markdown, by_component, to_html, to_text
from annotator.models import Assignment, GuidelineVersion, Membership
from tests.annotator.acting import delete_with_all
from tests.annotator.adjudicating import Case, make_case, settle
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.factories import (
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
    user_of,
)

pytestmark = pytest.mark.django_db
SECRET = {"generator": "Quillfern-XL", "prompt": "seven dancers", "source_name": "quillfern_0007.png"}


@pytest.fixture
def case() -> Case:
    project = make_project()
    case = make_case(project, make_image(project, **SECRET))
    payload = make_payload([("missing.limbs", "1/4b"), ("extra.hands", "1/3b")])
    payload["marks"][0]["pins"] = [{"x": 0.25, "y": 0.5}]
    settle(case, payload)
    drafted(case.lead, examples=(example_of(case, "missing.limbs", caption="A stump."),))
    publication(case.lead)
    case.project.refresh_from_db()
    return case


def cells_of(member: Membership) -> dict[str, list[int]]:
    member = Membership.objects.select_related("project", "user").get(pk=member.pk)
    told = by_component(member, "anatomy", guide_of("anatomy"), user_of(member))
    assert told is not None
    found: dict[str, list[int]] = told["cells"]
    return found


def test_the_labelling_page_gets_texts_decisions_and_examples(case: Case) -> None:
    drafted(
        case.lead,
        missing="Not **there**.",
        decisions=(RULED, Decision("Later.", "missing.hands", "2026-11-21"), Decision("General.")),
        examples=(example_of(case, "missing.limbs", caption="A stump."),),
    )
    publication(case.lead, "Hands ruled.")
    ada = Membership.objects.select_related("project").get(pk=make_member(case.project).pk)
    told = by_component(ada, "anatomy", guide_of("anatomy"), user_of(ada))
    assert told is not None
    assert (told["version"], told["summary"]) == ("1.1", "Hands ruled.")
    # Only what is not ours.
    assert told["texts"] == {"missing": "Not there."}
    assert told["decisions"] == {"missing.hands": ["Later.", "A hand behind the back is not missing."]}
    assert told["cells"] == {"missing.limbs": [0]}
    [example] = told["examples"]
    assert (example["alt"], example["caption"]) == ("Missing · Limbs 1/4b", "A stump.")
    assert example["pins"] == [[0.25, 0.5]]


def test_an_example_tells_neither_generator_nor_prompt_nor_file(case: Case) -> None:
    ada = Membership.objects.select_related("project").get(pk=make_member(case.project).pk)
    told = json.dumps(by_component(ada, "anatomy", guide_of("anatomy"), user_of(ada)))
    stored = json.dumps(GuidelineVersion.objects.get().content)
    for text in (told, stored):
        assert [secret for secret in (*SECRET.values(), case.image.sha256) if secret in text] == []


def test_it_is_hidden_from_whoever_has_still_to_judge_the_image(case: Case) -> None:
    ada, bob = make_member(case.project), make_member(case.project)
    assignment = make_assignment(ada, image=case.image)
    assert (cells_of(ada), cells_of(bob)) == ({}, {"missing.limbs": [0]})
    for status, hidden in (("done", False), ("skipped", True), ("open", True)):
        Assignment.objects.filter(pk=assignment.pk).update(status=status)
        assert (cells_of(ada) == {}) is hidden
    Assignment.objects.filter(pk=assignment.pk).update(status="withdrawn", position=None)
    assert cells_of(ada) != {}


def test_it_is_hidden_again_before_a_second_pass(case: Case) -> None:
    assert cells_of(case.a.assignment.annotator) != {}
    again = make_batch(case.project)
    make_assignment(case.a.assignment.annotator, image=case.image, batch=again, pass_no=1)
    assert cells_of(case.a.assignment.annotator) == {}


def test_a_deleted_image_disappears(case: Case) -> None:
    ada = make_member(case.project)
    assert example_image_for(user_of(ada), case.image.public_id) == case.image
    assert cells_of(ada) != {}
    delete_with_all(case.image)
    assert cells_of(ada) == {}
    assert example_image_for(user_of(ada), case.image.public_id) is None


def test_its_image_is_for_members_of_a_project_that_shows_it(case: Case) -> None:
    ada, stranger, off = make_member(case.project), make_member(make_project()), make_member(case.project)
    other = make_image(case.project)
    Membership.objects.filter(pk=off.pk).update(is_active=False)
    found = [example_image_for(user_of(one), case.image.public_id) for one in (ada, stranger, off)]
    assert found == [case.image, None, None]
    assert example_image_for(user_of(ada), other.public_id) is None
    drafted(case.lead, missing="Without the example.")
    publication(case.lead)
    assert example_image_for(user_of(ada), case.image.public_id) is None


def test_a_version_as_markdown(case: Case) -> None:
    drafted(
        case.lead, missing="Not **there**.", decisions=(RULED,), examples=(example_of(case, caption="So."),)
    )
    text = as_markdown(publication(case.lead, "Ruled."), "Pilot", guide_of("anatomy"))
    assert text.startswith("# Pilot: guideline, version 1.1\n\nPublished ")
    for part in (
        "## Missing\n\nNot **there**.",
        "### Missing · Hands, 2026-11-20\n\nA hand behind",
        "- Missing · Limbs 1/4b: So.",
    ):
        assert part in text


SECONDS = 1.0
BYTES = 40 * LONGEST_TEXT
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)" onclick="x()">x</a>',
    "[x](javascript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "![x](https://example.org/x.png)",
    "<!-- <script>alert(1)</script> -->",
    '<style>*{background:url("https://example.org")}</style>',
    '[x](https://example.org "onmouseover=alert(1)")',
    '[x]: https://example.org "a\\" onclick=\\"y"\n\n[x]',
    "```html onclick=x\n<script>\n```",
    "| <script> | b |\n|--|--|\n| <img src=x> | c |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]
ALLOWED = re.compile(
    r"</?(?:p|hr|br|strong|em|code|pre|blockquote|ul|li|h3)>"
    r"|</?ol(?: start=\"\d+\")?>|</a>|<a href=\"(?:https?:|mailto:)[^\"<>]*\" rel=\"noopener noreferrer\">"
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_hostile_is_left(text: str) -> None:
    rest = ALLOWED.sub("", to_html(text))
    assert "<" not in rest, rest
    # Plain text is put on the page as text, never as HTML.
    assert not re.search(r"<(?:p|a|img|table|code)\b[^>]*>", to_text(text)) or text.startswith(("<", "|"))


@pytest.mark.parametrize(
    "text",
    [
        "> " * (LONGEST_TEXT // 2),
        "\n".join("  " * depth + "- x" for depth in range(70)),
        "[" * LONGEST_TEXT,
        "*a " * (LONGEST_TEXT // 3),
        "**a *b " * (LONGEST_TEXT // 7),
        "`" * LONGEST_TEXT,
        "".join("`" * length + "a" for length in range(1, 100)),
        "<" * LONGEST_TEXT,
        "[a](" * (LONGEST_TEXT // 4),
        "|" * LONGEST_TEXT + "\n" + "|-" * 40,
    ],
    ids=lambda text: text[:6].strip(),
)
def test_pathological_texts_cost_little(text: str) -> None:
    begun = time.process_time()
    made = to_html(text)
    assert time.process_time() - begun < SECONDS
    assert len(made.encode()) < BYTES
    assert made.count("<blockquote>") <= DEEPEST
    assert made.count("<ul>") <= LONGEST_TEXT
