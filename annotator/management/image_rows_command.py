"""What the commands share that import rows about images."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.core.management.base import CommandError

from annotator.exchange.image_rows import RowsKind
from annotator.inputs.refusal import Refusal
from annotator.management.arguments import project_named
from annotator.management.file_import import FileCommand, refusals_as_errors


class ImageRowsCommand(FileCommand):
    """Store all rows of a file or, naming those that cannot be used, none."""

    kind: ClassVar[RowsKind[Any]]

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError naming the rows that cannot be used."""
        project, lint_only = project_named(options["project"]), options["lint_only"]
        with refusals_as_errors():
            checked = self.kind.check(options["file"], project)
            data = checked.as_json()
            stored = ["Nothing was stored (--lint-only)."] if lint_only else []
            if checked.refusal is None and not lint_only:
                try:
                    data["stored"] = self.kind.store(checked, project, None).words
                except Refusal as refused:
                    raise CommandError(str(refused)) from refused
                stored = [data["stored"]]
            if options["json"]:
                self.stdout.write(json.dumps(data, indent=2))
            else:
                lines = [f"{title}: {count:,}" for title, count in checked.counts.items()]
                lines += [
                    f"rejected: row {note.row}, “{note.text}”: {note.reason}" for note in checked.refused
                ]
                self.print_lines([*lines, *stored])
            if checked.refusal is not None:
                raise checked.refusal
