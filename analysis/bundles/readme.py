"""README.txt of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from textwrap import fill
from typing import Final

from django.db.models import QuerySet

from analysis.bundles.source import BundleSource, File
from analysis.exports.registry import layouts_of
from analysis.tables.blinding import answered, seen_sentences
from annotator.guidelines.publishing import guide_of
from annotator.guidelines.reading import as_markdown
from annotator.models import GuidelineVersion

TABLES: Final = """
Contents

data/                 tables as CSV (UTF-8, commas, CRLF); some also as Parquet
"""
OWN_TABLES: Final = (
    ("pictures", "every image, annotated or not, with the hash of its file"),
    ("plan", "which image each annotator was assigned, and its position in their queue"),
    ("dictionary", "every column of these tables: meaning, unit, values"),
)
FILES: Final = """\
datapackage.json      the tables as a Frictionless Data Package, version 1
{protocol}
{guidelines}reports/              each report as JSON, its tables as CSV, its figures as SVG, PNG and CSV
{manifest}methods.txt           paragraphs for a paper, with sources
project.json          batches, annotators, plans and reports, for programs
{suggestions}sha256sums.txt        the hash of every other file: sha256sum -c sha256sums.txt
"""
ONE_PROTOCOL: Final = "protocol.json         the 25 cells, severities and their weights, notation, rules"
PROTOCOLS: Final = """\
protocols/            the protocols used: what is measured, how, and the guideline that annotators read
                      until the project published its own"""
GUIDELINES: Final = "guidelines/           the versions of the guideline, as Markdown\n"
SUGGESTIONS: Final = """\
suggestions.json      the runs of suggestions, and the arm of each assignment
suggestions/          what each run suggests, as JSON Lines
"""
MANIFEST: Final = "manifest.csv          generator, prompt and number of every image in images/\n"
PICTURES: Final = "images/               the original images, named by their hash\n"
BLURRED: Final = """\
images/               the images with their faces blurred, named by the hash of the original
"""
NO_PICTURES: Final = "This bundle contains no images; data/pictures.csv has the hash of each.\n"
NO_REPORTS: Final = (
    "This bundle contains no reports: reports/ is missing, and methods.txt has no paragraphs.\n"
)
PSEUDONYMS: Final = """
Annotators have pseudonyms. Plans are included as tables only, without the seed: the order of a queue
depends on seed and code, so a reader could use it to confirm a guessed code. File names of
imported rows are omitted. Names of batches and notes are unchanged.
"""
LEFT_OUT: Final = """
Not included: accounts, names and email addresses; invitations and tokens; questions and
references; the log of events with the replaced values of annotations; drafts and reopened annotations;
batches in preparation; earlier reports; display copies of images.
"""
SEEN: Final = "What annotators saw\n\n"
SHEET: Final = "sheet"
IMPORTED: Final = """
To use the images and annotations in another project of Anatomark, upload this zip under Add images, where
manifest.csv names the images, and then data/{sheet}.csv under Import annotations.
"""


def readme(source: BundleSource) -> bytes:
    """Return the file's text."""
    request, seen = source.request, seen_sentences(answered(source.project))
    licence = f"Licence: {request.licence}" if request.licence else "No licence was given for this bundle."
    pictures = (BLURRED if source.is_blurred else PICTURES) if request.pictures else ""
    sheets = [source.named(slug, SHEET) for slug in source.protocols if SHEET in layouts_of(slug)]
    parts = [
        f"{source.project.name}\n{'=' * len(source.project.name)}\n\nPublication bundle. {licence}\n",
        _files(source) + pictures,
        "" if request.pictures else NO_PICTURES,
        "" if request.reports else NO_REPORTS,
        PSEUDONYMS if request.hidden else "",
        SEEN + fill(seen, 110) if seen else "",
        LEFT_OUT,
        IMPORTED.format(sheet=sheets[0]) if sheets and request.pictures else "",
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part).encode()


def _files(source: BundleSource) -> str:
    layouts = [
        (source.named(protocol, layout.slug), layout.rows)
        for protocol in source.protocols
        for layout in layouts_of(protocol).values()
    ]
    tables = "".join(f"  {name:<19} {rows}\n" for name, rows in (*layouts, *OWN_TABLES))
    return (
        TABLES
        + tables
        + FILES.format(
            protocol=PROTOCOLS if source.is_named else ONE_PROTOCOL,
            guidelines=GUIDELINES if versions_in(source).exists() else "",
            manifest=MANIFEST if source.request.pictures else "",
            suggestions=SUGGESTIONS if source.project.suggestion_runs.exists() else "",
        )
    )


def versions_in(source: BundleSource) -> QuerySet[GuidelineVersion]:
    """Return the published versions by protocol, in order of publication."""
    held = GuidelineVersion.objects.filter(guideline__project=source.project)
    return held.select_related("guideline").order_by("guideline__protocol", "pk")


def guideline_files(source: BundleSource) -> Iterator[File]:
    """Yield each version as Markdown."""
    for version in versions_in(source):
        protocol = version.guideline.protocol
        text = as_markdown(version, source.project.name, guide_of(protocol))
        yield File(f"guidelines/{protocol}-{version}.md", partial(iter, [text.encode()]))
