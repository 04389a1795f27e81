"""Write every figure of a project as SVG, PNG and CSV."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.exports.files import write_whole
from analysis.figures.data_table import figure_csv
from analysis.figures.drawing import png, svg
from analysis.figures.figure import Figure
from analysis.figures.generic import figures
from analysis.figures.themes import PALETTES
from analysis.management.commands.report import finished_report
from analysis.models import KEPT_UP_TO_DATE
from annotator.management.arguments import project_named, protocol_asked_for


class Command(BaseCommand):
    """`manage.py figures --project SLUG --out DIR`."""

    help = "Write a project's figures as SVG, PNG and CSV, with their captions. Existing files are replaced."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--protocol", metavar="SLUG", help="protocol of the figures; required if there are several"
        )
        parser.add_argument("--out", required=True, metavar="DIR", help="folder, created if missing")
        parser.add_argument("--theme", choices=sorted(PALETTES), default="light")

    def handle(self, *, project: str, out: str, theme: str, protocol: str | None = None, **_: Any) -> None:
        """Write the files; raise CommandError if nothing can be computed or written."""
        found = project_named(project)
        slug = protocol_asked_for(found, protocol)
        folder = _made(Path(out))
        captions: list[str] = []
        for kind in KEPT_UP_TO_DATE:
            result = finished_report(found, kind, slug).result or {}
            for figure in figures(result):
                captions.append(_caption(figure))
                if figure.refused:
                    self.stdout.write(f"{figure.slug}: not drawn, {figure.refused}")
                    continue
                try:
                    _write(figure, folder, theme)
                except OSError as error:
                    raise CommandError(f"{folder} cannot be written: {error.strerror or error}.") from error
                self.stdout.write(f"{figure.slug}: SVG, PNG, CSV")
        write_whole(["\n\n".join([*captions, ""]).encode()], folder / "captions.txt")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{folder} is not a writable folder: {error.strerror or error}.") from error
    return folder


def _write(figure: Figure, folder: Path, theme: str) -> None:
    drawn = svg(figure, theme)
    write_whole([drawn.encode()], folder / f"{figure.slug}.svg")
    write_whole([png(drawn)], folder / f"{figure.slug}.png")
    write_whole([figure_csv(figure).encode()], folder / f"{figure.slug}.csv")


def _caption(figure: Figure) -> str:
    if figure.refused:
        return f"{figure.slug}: {figure.title}\nNot drawn: {figure.refused}."
    return f"{figure.slug}: {figure.title}\n{figure.note}\n{figure.description}"
