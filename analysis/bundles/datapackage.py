"""`datapackage.json`: the tables of a bundle as a Tabular Data Package of Frictionless, version 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from analysis.bundles.dictionary import Described
from analysis.exports.zipping import Written

PROFILE: Final = "tabular-data-package"
BUNDLE: Final = "anatomark-bundle"
VERSION: Final = 1


def data_package(
    name: str,
    title: str,
    description: str,
    licence: str,
    tables: Iterable[tuple[str, str, Sequence[Described], Written]],
) -> dict[str, Any]:
    """Return the descriptor from each table's name, title, columns and written files."""
    package: dict[str, Any] = {
        "profile": PROFILE,
        "name": name,
        "title": title,
        "description": description,
        "anatomark": {"format": BUNDLE, "version": VERSION},
        "licenses": [_licence(licence)],
        "resources": [_resource(*table) for table in tables],
    }
    if not licence:
        del package["licenses"]
    if not description:
        del package["description"]
    return package


def _licence(text: str) -> Mapping[str, str]:
    return {"path": text} if text.startswith("http") else {"name": text}


def _resource(name: str, title: str, columns: Sequence[Described], written: Written) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": name,
        "title": title,
        "path": f"data/{name}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": written.size,
        "hash": f"sha256:{written.sha256}",
        "dialect": {"delimiter": ",", "quoteChar": '"', "doubleQuote": True, "lineTerminator": "\r\n"},
        "schema": {
            "fields": [one.field() for one in columns],
            "missingValues": [""],
        },
    }
