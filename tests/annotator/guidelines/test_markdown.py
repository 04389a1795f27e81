"""Whatever a lead writes, a page gets neither a script nor a foreign image, in little time."""

from __future__ import annotations

import re
import time

import pytest

from annotator.guidelines.content import LONGEST_TEXT
from annotator.guidelines.reading import DEEPEST, to_html, to_text

SECONDS = 1.0
BYTES = 40 * LONGEST_TEXT
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '<a href="javascript:alert(1)" onclick="x()">x</a>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "![x](https://example.org/x.png)",
    "![x](data:image/svg+xml;base64,AAAA)",
    "<!-- <script>alert(1)</script> -->",
    '<style>*{background:url("https://example.org")}</style>',
    "<iframe src=//example.org></iframe>",
    "<form action=/x><button>y</button></form>",
    '[x](https://example.org "onmouseover=alert(1)")',
    '[x]: https://example.org "a\\" onclick=\\"y"\n\n[x]',
    "```html onclick=x\n<script>\n```",
    "| <script> | b |\n|--|--|\n| <img src=x> | c |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]
ALLOWED = re.compile(
    r"</?(?:p|hr|br|strong|em|code|pre|blockquote|ul|li|h3|table|thead|tbody|tr|th|td)>"
    r"|</?ol(?: start=\"\d+\")?>|</a>|<a href=\"(?:https?:|mailto:)[^\"<>]*\" rel=\"noopener noreferrer\">"
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_hostile_is_left(text: str) -> None:
    rest = ALLOWED.sub("", to_html(text))
    assert "<" not in rest, rest


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_has_no_elements(text: str) -> None:
    # It is put on the page as text, never as HTML.
    assert not re.search(r"<(?:p|a|img|table|code)\b[^>]*>", to_text(text)) or text.startswith(("<", "|"))


@pytest.mark.parametrize(
    "text",
    [
        "> " * (LONGEST_TEXT // 2),
        "- " * (LONGEST_TEXT // 2),
        "\n".join("  " * depth + "- x" for depth in range(70)),
        "[" * LONGEST_TEXT,
        "![" * (LONGEST_TEXT // 2),
        "*a " * (LONGEST_TEXT // 3),
        "**a *b " * (LONGEST_TEXT // 7),
        "`" * LONGEST_TEXT,
        "".join("`" * length + "a" for length in range(1, 100)),
        "<" * LONGEST_TEXT,
        "&" * LONGEST_TEXT,
        "[a](" * (LONGEST_TEXT // 4),
        "|" * LONGEST_TEXT + "\n" + "|-" * 40,
        "\\" * LONGEST_TEXT,
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


def test_what_leads_write_is_shown() -> None:
    text = "# Hands\n\n**Not** missing:\n\n- behind the *back*\n- see [manual](https://example.org/a?b=1&c=2)"
    assert to_html(text) == (
        "<h3>Hands</h3>\n<p><strong>Not</strong> missing:</p>\n<ul>\n<li>behind the <em>back</em></li>\n"
        '<li>see <a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer">manual</a></li>\n'
        "</ul>\n"
    )
    assert to_text(text) == "Hands Not missing: behind the back see manual"


def test_headings_never_stand_above_the_pages_own() -> None:
    assert re.findall(r"<(h\d)>", to_html("# a\n## b\n#### c\nd\n===")) == ["h3"] * 4
