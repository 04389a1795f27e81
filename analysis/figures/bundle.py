"""Build the script that draws figures on pages, from the library that draws them as files.

`python -m analysis.figures.bundle` writes it. Pages and files thus use the same Vega, Vega-Lite and font
metrics. The script is committed, so that servers need not build it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from analysis.figures.drawing import VEGA_LITE

BUNDLE: Final = Path(__file__).parents[2] / "static/js/built/vega.js"
HEADER: Final = "/* Vega, Vega-Lite and vega-embed; the licences are in vega.LICENSE.txt. */\n"


def bundle() -> str:
    """Return an ES module whose default export is vega-embed."""
    import vl_convert

    made = vl_convert.javascript_bundle(snippet="export default vegaEmbed;", vl_version=VEGA_LITE)
    return f"{HEADER}{made}\n"


if __name__ == "__main__":
    BUNDLE.write_text(bundle(), encoding="utf-8")
