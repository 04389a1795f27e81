"""Convert rows to lines of JSON and back, the same for every database.

The format does not depend on the database. Ids are kept.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.apps.registry import Apps
from django.db import connections, models
from django.db.models import Model

# Sessions are excluded, because a stolen backup would let its reader in.
# Failed sign-ins are excluded, because they expire within minutes.
LEFT_OUT: Final = frozenset(
    {
        "sessions.session",
        "axes.accessattempt",
        "axes.accessattemptexpiration",
        "axes.accessfailurelog",
        "axes.accesslog",
    }
)
CHUNK: Final = 1000


def models_of(apps: Apps) -> list[type[Model]]:
    """Return every model whose table a backup holds, including relation tables."""
    found = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model._meta.label_lower not in LEFT_OUT
    ]
    return sorted(found, key=lambda model: model._meta.label_lower)


def lines_of(model: type[Model], using: str) -> Iterator[bytes]:
    """Yield a model's rows by id, one JSON list per line."""
    fields = model._meta.concrete_fields
    rows = model._base_manager.using(using).order_by("pk").values_list(*(f.attname for f in fields))
    for row in rows.iterator(chunk_size=CHUNK):
        yield json.dumps([_plain(v) for v in row], ensure_ascii=False, allow_nan=False).encode() + b"\n"


def load(model: type[Model], names: list[str], lines: Iterable[bytes], using: str) -> int:
    """Insert rows as written, including ids and times; return how many.

    Skips save methods, signals and defaults. Raise KeyError for a missing column.
    """
    connection = connections[using]
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in names]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column or "") for field in fields)
    places = ", ".join(["%s"] * len(fields))
    insert = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"  # noqa: S608  own names
    number = 0
    with connection.cursor() as cursor:
        for chunk in _chunks(lines):
            rows = [_stored(json.loads(line), fields, connection) for line in chunk]
            cursor.executemany(insert, rows)
            number += len(rows)
    return number


def _stored(row: list[Any], fields: list[models.Field[Any, Any]], connection: Any) -> list[Any]:
    return [
        field.get_db_prep_save(_value(field, v), connection) for field, v in zip(fields, row, strict=True)
    ]


def _value(field: models.Field[Any, Any], value: Any) -> Any:
    if value is None or isinstance(field, models.JSONField):
        return value
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value, validate=True)
    if isinstance(field, models.ForeignKey):
        return field.target_field.to_python(value)
    return field.to_python(value)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return value


def _chunks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    chunk: list[bytes] = []
    for line in lines:
        chunk.append(line)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
