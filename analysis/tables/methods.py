"""Sentences that every methods paragraph shares, and the sources they cite.

A paragraph needs only the parts of a result named in `PARTS`, so a page can read those without the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.tables.exclusions import not_read
from analysis.tables.wording import counted, listed, rounded
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES, SEVERITY_TITLES

Result = Mapping[str, Any]

LIBRARY: Final = "krippendorff"
PARTS: Final = (
    "protocol",
    "stages",
    "across",
    "data_set",
    "suggestions",
    "settings",
    "answers",
    "conduct",
    "program",
    "model",
    "lines",
)
# In the order in which the paragraphs cite them.
REFERENCES: Final = (
    "P. Muhr et al. (2024), Evaluating text-to-image generated photorealistic images of human anatomy, "
    "Cureus 16(11), e74193.",
    "B. L. Welch (1947), The generalization of “Student's” problem when several different population "
    "variances are involved, Biometrika 34, 28–35.",
    "S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
    "Statistics 6, 65–70.",
    "D. Bates, M. Mächler, B. Bolker, S. Walker (2015), Fitting linear mixed-effects models using lme4, "
    "Journal of Statistical Software 67(1), 1–48.",
    "F. E. Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics "
    "Bulletin 2, 110–114.",
    "K. Krippendorff (2018), Content Analysis: An Introduction to Its Methodology, 4th edition, Sage.",
    "K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high "
    "agreement, British Journal of Mathematical and Statistical Psychology 61, 29–48.",
    "K. O. McGraw, S. P. Wong (1996), Forming inferences about some intraclass correlation coefficients, "
    "Psychological Methods 1, 30–46.",
    "J. Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2nd edition, Erlbaum.",
    "C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the case "
    "of the binomial, Biometrika 26, 404–413.",
    "J. Kottner et al. (2011), Guidelines for Reporting Reliability and Agreement Studies (GRRAS) were "
    "proposed, Journal of Clinical Epidemiology 64, 96–106.",
    "B. Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical Association "
    "82, 171–185.",
    "T. C. Hesterberg (2015), What teachers should know about the bootstrap, The American Statistician 69, "
    "371–386.",
    "R. G. Newcombe (1998), Interval estimation for the difference between independent proportions, "
    "Statistics in Medicine 17, 873–890.",
)
_WORDS: Final = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_NAMES: Final = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy", "pandas": "pandas"}


def cited(text: str) -> list[str]:
    """Return the references whose first author and year a text names, as in `Welch (1947)`."""
    return [source for source in REFERENCES if _is_cited(source, text)]


def _is_cited(source: str, text: str) -> bool:
    authors, _, rest = source.partition(" (")
    surname = next(word.strip(",") for word in authors.split() if not word.strip(",").endswith("."))
    return surname in text and rest[:4] in text


def spelled(count: int, noun: str) -> str:
    """Return the same to begin a sentence: `Four annotators`."""
    text = counted(count, noun)
    return f"{_WORDS[count - 1]}{text[1:]}" if 0 < count <= len(_WORDS) else text


def classification() -> str:
    """Return what annotators marked."""
    return (
        f"Annotators marked anatomical errors of {_WORDS[len(ERROR_TYPES) - 1].lower()} types "
        f"({listed(ERROR_TYPES)}) on {_WORDS[len(BODY_PARTS) - 1].lower()} body parts ({listed(BODY_PARTS)}) "
        "and rated each as mild, moderate or severe (Muhr et al. 2024)."
    )


def scores(result: Result) -> str:
    """Return how a score is made, and what of the annotations could not be read."""
    weights = listed(
        [
            f"{rounded(result['settings']['weights'][severity], 2)} for {SEVERITY_TITLES[severity]}"
            for severity in SEVERITIES
        ]
    )
    partly, unread = not_read(result)
    text = (
        "The cumulative score of an annotation is the sum, over all marks, of the share of the body parts "
        f"that were affected, weighted by severity ({weights} errors)."
    )
    if partly:
        text += (
            f" {spelled(partly, 'imported annotation')} contained terms that could not be read; these terms "
            "were omitted from the scores."
        )
    if unread:
        text += f" {spelled(unread, 'imported annotation')} could not be read at all and did not count."
    return text


def computed_with(result: Result) -> str:
    """Return the last sentence, which names the versions of program and libraries."""
    settings = result["settings"]
    versions = ", ".join(f"{_NAMES.get(name, name)} {text}" for name, text in settings["versions"].items())
    program = " ".join(filter(None, ["Anatomark", result.get("program", "")]))
    return f"Computed with {program} ({versions})."
