"""Texts stored before signs that turn the direction of reading were refused turn nothing beside them."""

from __future__ import annotations

from django.urls import reverse

from annotator.models import Image, Project
from tests.browser.conftest import OpenPage, picture

PLACES_OF_DIGITS = """(heading) => {
    const text = [...heading.childNodes].find((node) => node.nodeType === 3 && node.data.includes("12"));
    const at = (index) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
    };
    return [at(text.data.indexOf("1")), at(text.data.indexOf("2"))];
}"""


def test_a_prompt_turns_nothing_beside_it(open_page: OpenPage, pilot: Project) -> None:
    image = picture(pilot, 12)
    Image.objects.filter(pk=image.pk).update(prompt="hug\u202e", generator="flux\u202e")
    page = open_page("lee")
    page.goto(reverse("image_detail", args=[pilot.slug, image.public_id]))
    first, second = page.locator("h1").evaluate(PLACES_OF_DIGITS)
    assert first < second
    page.goto(reverse("project_images", args=[pilot.slug]))
    first, second = page.locator(".tile > .visually-hidden").first.evaluate(PLACES_OF_DIGITS)
    assert first < second
