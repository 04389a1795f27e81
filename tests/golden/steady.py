"""What stands in an artefact whatever the machine: the last digits of a computed number are not its own.

Products of matrices add up in an order that depends on the processor: a mean may differ in its sixteenth
digit, and what an optimiser finds in its eighth. What statistics compute is compared to five digits, a
drawing to tenths of a pixel, its pixels by their number, because letters look as the machine's fonts do. A
workbook is compared by the files in it, because each version of Python packs them with other headers, and
versions of Python and of libraries are left out. All else is compared byte by byte.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Final

import pandas as pd
from PIL import Image

_COMPUTED: Final = re.compile(r"(agreement|annotators|comparison)|/(datapackage\.json|sha256sums\.txt)$")
_LONG_NUMBER: Final = re.compile(rb"-?\d+\.\d{10,}(?:e[-+]?\d+)?")
_DRAWN: Final = re.compile(rb"-?\d+\.\d+")
_DIGEST: Final = re.compile(rb"\b[0-9a-f]{64}\b")
_SIZE: Final = re.compile(rb'"bytes": \d+')
_VERSION: Final = re.compile(rb'((?:Python|NumPy|SciPy) |"(?:python|numpy|scipy)": ")\d[\w.]*')


def steady(name: str, contents: bytes) -> bytes:
    """Return what is compared of an artefact: its bytes, or for computed numbers its text with rounded ones.

    Digests and sizes of files that hold computed numbers go; the files themselves are compared.
    """
    if not name.endswith((".png", ".parquet", ".xlsx")):
        contents = _VERSION.sub(rb"\1", contents)
    if not _COMPUTED.search(name):
        return _unpacked(contents) if name.endswith(".xlsx") else contents
    if name.endswith(".png"):
        return repr(Image.open(io.BytesIO(contents)).size).encode()
    if name.endswith(".svg"):
        return _DRAWN.sub(lambda found: b"%.1f" % (round(float(found[0]), 1) + 0.0), contents)
    read = _TABLES.get(name.rpartition(".")[2])
    text = read(contents) if read else contents
    text = _LONG_NUMBER.sub(lambda found: b"%.5g" % round(float(found[0]), 5), text)
    return _SIZE.sub(b"", _DIGEST.sub(b"", text))


def _unpacked(contents: bytes) -> bytes:
    """Return the names and contents of the files in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


def _text(table: pd.DataFrame) -> bytes:
    return "\n".join([str(list(table.dtypes.items())), table.to_csv(index=False)]).encode()


_TABLES: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "parquet": lambda contents: _text(pd.read_parquet(io.BytesIO(contents))),
    "xlsx": lambda contents: _text(pd.read_excel(io.BytesIO(contents))),
}
