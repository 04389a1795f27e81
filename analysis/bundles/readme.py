"""README.txt: what is what in a bundle."""

from __future__ import annotations

from textwrap import fill
from typing import Final

from analysis.bundles.reading import Source
from analysis.tables.seen import answered, seen_sentences

FILES: Final = """
What is what

data/                 tables as CSV (UTF-8, commas, CRLF); some also as Parquet
  sheet               one row per annotation in the 30 columns of the published study
  scores              one row per annotation: 25 cell scores, cumulative score, severity sums
  marks               one row per mark
  images              one row per judged image: what a lead settled, or the mean of its judges
  agreement           every number of the agreement report
  comparison          every number of the comparison report
  pictures            every image, judged or not, with the hash of its file
  plan                who was given which image in which place
  dictionary          every column of these tables: meaning, unit, values
datapackage.json      the tables as a Frictionless Data Package, version 1
protocol.json         the 25 cells, severities and their weights, notation, rules
reports/              each report as JSON, its tables as CSV, its figures as SVG, PNG and CSV
methods.txt           paragraphs for a paper, with sources
project.json          batches, annotators, plans and reports, for programs
restore/              every row as JSON Lines, for reading the bundle back
sha256sums.txt        the hash of every other file: sha256sum -c sha256sums.txt
"""
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


def readme(source: Source) -> bytes:
    """Return the file's text."""
    request, seen = source.request, seen_sentences(answered(source.project))
    licence = f"Licence: {request.licence}" if request.licence else "No licence was given for this bundle."
    parts = [
        f"{source.project.name}\n{'=' * len(source.project.name)}\n\nPublication bundle. {licence}\n",
        FILES + (PICTURES if request.pictures else "") + ("" if request.hidden else PLANS),
        "" if request.pictures else NO_PICTURES,
        "" if request.reports else NO_REPORTS,
        PSEUDONYMS if request.hidden else "",
        SEEN + fill(seen, 110) if seen else "",
        LEFT_OUT,
        BACK,
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part).encode()
