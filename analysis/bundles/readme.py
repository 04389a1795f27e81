"""README.txt of a bundle."""

from __future__ import annotations

from textwrap import fill
from typing import Final

from analysis.bundles.source import BundleSource
from analysis.exports.layouts import layouts_of
from analysis.tables.seen import answered, seen_sentences

TABLES: Final = """
What is what

data/                 tables as CSV (UTF-8, commas, CRLF); some also as Parquet
"""
OWN_TABLES: Final = (
    ("pictures", "every image, judged or not, with the hash of its file"),
    ("plan", "who was given which image in which place"),
    ("dictionary", "every column of these tables: meaning, unit, values"),
)
FILES: Final = """\
datapackage.json      the tables as a Frictionless Data Package, version 1
{protocol}
reports/              each report as JSON, its tables as CSV, its figures as SVG, PNG and CSV
methods.txt           paragraphs for a paper, with sources
project.json          batches, annotators, plans and reports, for programs
restore/              every row as JSON Lines, for reading the bundle back
sha256sums.txt        the hash of every other file: sha256sum -c sha256sums.txt
"""
ONE_PROTOCOL: Final = "protocol.json         the 25 cells, severities and their weights, notation, rules"
PROTOCOLS: Final = "protocols/            the protocols that images were judged by: what is measured, and how"
PICTURES: Final = "images/               the pictures as they came, named by their hash\n"
NO_PICTURES: Final = "The pictures are not in this bundle; data/pictures.csv has the hash of each.\n"
NO_REPORTS: Final = (
    "This bundle was made without reports: there is no reports/, and methods.txt tells nothing.\n"
)
PLANS: Final = """\
plans/                the input and outcome of each plan of assignments, as one canonical text. Its
                      SHA-256 is the certificate in project.json; the same input and seed give it again.
"""
PSEUDONYMS: Final = """
Annotators stand under pseudonyms. Plans are in as tables only, without seed and certificate: the order of a
queue is drawn from seed and code, so that with them a guessed code could be confirmed. Of imported rows the
name of the file and further columns are left out. Names of batches and remarks are as people wrote them.
"""
LEFT_OUT: Final = """
Not in it: accounts, names and e-mail addresses; invitations and tokens; the log of events, which says who did
what when and what an answer was before; batches that are being prepared; earlier reports; copies of the
pictures for display.

In restore/ are drafts and answers reopened for correction as well, with remarks and times. The tables in
data/ have submitted annotations only.
"""
SEEN: Final = "What annotators saw\n\n"
BACK: Final = """
Reading it back into an Anatomark of the same or a later version:

  manage.py import_bundle FILE --project SLUG --name "NAME"
"""


def readme(source: BundleSource) -> bytes:
    """Return the file's text."""
    request, seen = source.request, seen_sentences(answered(source.project))
    licence = f"Licence: {request.licence}" if request.licence else "No licence was given for this bundle."
    parts = [
        f"{source.project.name}\n{'=' * len(source.project.name)}\n\nPublication bundle. {licence}\n",
        _files(source) + (PICTURES if request.pictures else "") + ("" if request.hidden else PLANS),
        "" if request.pictures else NO_PICTURES,
        "" if request.reports else NO_REPORTS,
        PSEUDONYMS if request.hidden else "",
        SEEN + fill(seen, 110) if seen else "",
        LEFT_OUT,
        BACK,
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part).encode()


def _files(source: BundleSource) -> str:
    layouts = [
        (source.named(protocol, layout.slug), layout.rows)
        for protocol in source.protocols
        for layout in layouts_of(protocol).values()
    ]
    tables = "".join(f"  {name:<19} {rows}\n" for name, rows in (*layouts, *OWN_TABLES))
    return TABLES + tables + FILES.format(protocol=PROTOCOLS if source.is_named else ONE_PROTOCOL)
