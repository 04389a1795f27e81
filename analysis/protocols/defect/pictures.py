"""The region of each checked image as a picture for a bundle: 1 bit, at the size of the image."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image as Picture

from annotator.models import Image
from annotator.protocols.defect.material import checked_image
from scoring.defect.masks import Mask


def picture_of(pk: int) -> bytes:
    """Return the region of an image as PNG, without a pixel if nothing is kept."""
    image = Image.objects.get(pk=pk)
    found = checked_image(image)
    made = Picture.new("1", (image.width, image.height))
    if found is not None:
        region = found.kept.region.scaled(image.height, image.width)
        made = Picture.fromarray(_pixels(region)).convert("1")
    buffer = BytesIO()
    made.save(buffer, "PNG")
    return buffer.getvalue()


def _pixels(mask: Mask) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return (height, width): 255 in the mask."""
    columns = np.zeros(mask.width * mask.height, dtype=np.uint8)
    for start, end in mask.intervals:
        columns[start:end] = 255
    return columns.reshape(mask.width, mask.height).T
