"""The region of each checked image as a picture for a bundle: 1 bit, at the size of the image."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image as Picture

from scoring.defect.masks import Mask


def picture_of(region: Mask | None, height: int, width: int) -> bytes:
    """Return a region as PNG, white where it is; without a pixel if there is none."""
    columns = np.zeros(width * height, dtype=np.uint8)
    for start, end in region.scaled(height, width).intervals if region else ():
        columns[start:end] = 1
    rows = np.packbits(columns.reshape(width, height).T, axis=1)
    buffer = BytesIO()
    Picture.frombytes("1", (width, height), rows.tobytes()).save(buffer, "PNG")
    return buffer.getvalue()
