"""Asking about an image: typed, lost on the way, sent again, answered, read."""

from __future__ import annotations

from playwright.sync_api import expect

from annotator.models import Assignment, Question
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import open_label, press


def test_a_question_survives_a_lost_request_and_its_answer_arrives(
    open_page: OpenPage, queue_of_ada: list[Assignment]
) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, queue_of_ada[0])
    press(page, "q")
    field = page.get_by_label("Your question")
    field.fill("Is it a hand?")
    page.context.set_offline(True)
    press(page, "Ctrl+Enter")
    expect(page.locator("dialog .refusal")).to_contain_text("Not sent")
    press(page, "Escape q")
    expect(field).to_have_value("Is it a hand?")
    page.context.set_offline(False)
    press(page, "Ctrl+Enter")
    expect(page.locator("dialog")).to_have_count(0)
    question = Question.objects.get()
    assert (question.text, question.assignment) == ("Is it a hand?", queue_of_ada[0])
    lead = open_page("lee")
    lead.goto("/projects/pilot/questions/")
    row = lead.locator(f"#question-{question.pk}")
    row.get_by_role("textbox").fill("Yes, count it.")
    row.get_by_role("button", name="Send answer").click()
    expect(row.locator("[data-code='state-answered']")).to_be_visible()
    expect(row.locator(".facts-line")).to_be_focused()
    page.goto("/projects/pilot/queue/")
    expect(page.locator(".answers")).to_contain_text("Yes, count it.")
    expect(page.locator("[data-code='unread-count']")).to_contain_text("1")
    with page.expect_response(lambda reply: reply.request.method == "POST"):
        page.goto("/projects/pilot/questions/mine/")
    page.goto("/projects/pilot/queue/")
    expect(page.locator("[data-code='unread-count']")).to_have_count(0)
