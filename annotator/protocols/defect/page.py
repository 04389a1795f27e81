"""The pages of the four stages, with the guideline of marks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from annotator.models import Assignment
from annotator.protocols.defect.form import MarksForm
from annotator.protocols.defect.given_form import CheckAdjudication, CheckForm, QualityForm
from annotator.protocols.defect.material import (
    descriptions_to_rate,
    kept_of,
    marks_to_check,
    outdated_checks,
    stored_payload,
)
from annotator.protocols.defect.sheet_format import SHEET
from annotator.protocols.defect.suggested import SUGGESTED_DESCRIPTION, SUGGESTED_MASKS, SUGGESTED_REFERENCE
from annotator.protocols.page import (
    OUTCOME_SHOWN,
    SUGGESTIONS,
    BatchSetting,
    Follows,
    GuideBlock,
    Measure,
    ProtocolPage,
    ShownMark,
)
from annotator.protocols.rating_form.form import script_config
from annotator.protocols.rating_form.page import guide_of, listed_guide, page_for
from annotator.protocols.rating_form.sheet import sheet_of
from scoring.defect.consolidation import CHECK, CHECK_FORM
from scoring.defect.marks import KINDS, MARKS, clean
from scoring.defect.masks import grid_of
from scoring.defect.quality import QUALITY, QUALITY_FORM
from scoring.defect.verdict import FORM, VERDICT
from scoring.protocol import Payload
from scoring.rating_form.definition import CANNOT_JUDGE

_INTRODUCTION: Final = GuideBlock(
    "introduction",
    "What to mark",
    "Mark every place where the image is wrong, one mask for each defect, and say in a sentence what is "
    "wrong there. Look at the whole image first, then enlarge it and go through it part by part.",
)
_BLOCKS: Final = (
    GuideBlock(
        "structural",
        "Structural",
        "Something is built wrongly: it is twisted, stretched, fused, incomplete, missing, doubled or of the "
        "wrong size. Six fingers, a handle that leads nowhere, letters that are none.",
    ),
    GuideBlock(
        "logical",
        "Logical",
        "Every part is well made, but together they go against physics or sense: a shadow on the wrong side, "
        "a cup that floats, a mirror that shows another scene.",
    ),
    GuideBlock(
        "no_defect",
        "What is not a defect",
        "What the prompt asks for is not a defect, however odd; nor is something of the prompt that is "
        "missing. Style, taste and the quality of the picture do not count.",
    ),
    GuideBlock(
        "mask",
        "The mask",
        "Draw round what is wrong, not round the whole object: the fused fingers, not the arm. Where "
        "something is missing, mark the place where it should begin. One defect, one mask; two hands with "
        "defects of their own are two.",
    ),
    GuideBlock(
        "description",
        "The description",
        "Name the thing and what is wrong with it, such as: two hands are fused, and their fingers interlock "
        "without a border. The place need not be said; the mask says it.",
    ),
)
_EFFECT: Final = GuideBlock("effect", "The effect on the image", "How the defects affect the whole image.")
_EFFECTS: Final = (
    ("Slight", "you find it only by searching."),
    ("Noticeable", "you see it at the second glance."),
    ("Serious", "you see it at once."),
    ("Unusable", "nobody would use the image."),
)


def marks(payload: Payload) -> list[ShownMark]:
    """Return the defects of a payload by kind, each with a pin at the centre of its mask."""
    found = []
    for defect in clean(payload, complete=False).defects:
        mask = defect.mask
        x, y = mask.centre if mask else (0, 0)
        pins = [{"x": float(x / mask.width), "y": float(y / mask.height)}] if mask else []
        if defect.kind:
            found.append(ShownMark(defect.kind, defect.text, pins))
    return found


GIVEN_SCRIPT: Final = "js/built/rating_form_given.js"
SHAPE: Final = BatchSetting(
    "shape",
    "Masks",
    "How defects are marked",
    "A box takes one drag; an outline says which pixels are wrong.",
    (("outline", "Outlines"), ("box", "Boxes")),
)
DETAILED: Final = BatchSetting(
    "details",
    "Body part and severity",
    "Ask for the body part and the severity of each defect",
    "The agreement report then sets them beside the 25 cells. Boxes need no description then.",
)


def given(assignment: Assignment, _: Payload) -> Payload:
    """Return the grid on which the image is marked, and whether the batch asks for details, and for boxes."""
    settings = assignment.batch.settings
    return {
        "size": list(grid_of(assignment.image.width, assignment.image.height)),
        "details": bool(settings.get(DETAILED.name)),
        "boxes": settings.get(SHAPE.name) == "box",
        "elsewhere": False,
    }


MARKS_PAGE: Final = ProtocolPage(
    slug=MARKS.slug,
    measure=Measure(
        "Defects",
        "A mask and a description of everything that is wrong, in any image.",
        then=(CHECK.slug, QUALITY.slug),
    ),
    form=MarksForm,
    headline="Defects",
    script="js/built/defect_marks.js",
    settings=(SHAPE, DETAILED, OUTCOME_SHOWN, SUGGESTIONS),
    suggested=SUGGESTED_MASKS,
    became=kept_of,
    sheet=SHEET,
    guide=listed_guide(
        "defects",
        _INTRODUCTION,
        {**dict.fromkeys(_BLOCKS, ()), _EFFECT: _EFFECTS},
        {kind: {kind: title} for kind, title in KINDS.items()},
    ),
    marks=marks,
    given=given,
    pace=(45, 120),
)
VERDICT_PAGE: Final = replace(
    page_for(FORM.as_json()),
    slug=VERDICT.slug,
    sheet=sheet_of(FORM, VERDICT.clean),
    config=lambda _: {**script_config(FORM), "note_with": CANNOT_JUDGE},
    measure=Measure(
        "Defective or not",
        "Several people accept or reject each image, and an expert decides where they differ; then masks.",
        then=(MARKS.slug, CHECK.slug, QUALITY.slug),
    ),
    settings=(OUTCOME_SHOWN,),
    pace=(5, 15),
)
CHECK_PAGE: Final = ProtocolPage(
    slug=CHECK.slug,
    form=CheckForm,
    headline="Masks kept",
    script=GIVEN_SCRIPT,
    adjudicating=CheckAdjudication,
    settings=(OUTCOME_SHOWN,),
    guide=guide_of(CHECK_FORM.form),
    given=lambda assignment, said: CHECK_FORM.carried(
        said, marks_to_check(assignment), lambda: stored_payload(assignment)
    ),
    follows=Follows(MARKS.slug, "marks", others_only=True, outdated=outdated_checks),
    suggested=SUGGESTED_REFERENCE,
    pace=(20, 60),
)
QUALITY_PAGE: Final = ProtocolPage(
    slug=QUALITY.slug,
    form=QualityForm,
    headline="Completeness",
    script=GIVEN_SCRIPT,
    guide=guide_of(QUALITY_FORM.form),
    given=lambda assignment, said: QUALITY_FORM.carried(
        said, descriptions_to_rate(assignment), lambda: stored_payload(assignment)
    ),
    follows=Follows(CHECK.slug, "checks"),
    suggested=SUGGESTED_DESCRIPTION,
    pace=(30, 90),
)
PAGES: Final = (VERDICT_PAGE, MARKS_PAGE, CHECK_PAGE, QUALITY_PAGE)
"""The pages of the family."""
