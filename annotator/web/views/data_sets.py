"""The images that the filters of a data set leave out, and what a lead does about them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render

from annotator.data_sets.filtering import (
    counts_of,
    filtered_images,
    request_filters,
    take_back,
)
from annotator.data_sets.settings import (
    MOST_VOTES,
    DataSetSettings,
    TooManyVotes,
    lines_of,
    save_settings,
    settings_of,
)
from annotator.inputs.numbers import DecimalField, FloatField, IntegerField
from annotator.models import Project
from annotator.people.access import project_as_lead
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form, page_of
from scoring.data_sets.filters import REASONS, Filters, InvalidFilter, words_of
from scoring.data_sets.preference_pairs import MOST_PAIRS
from scoring.data_sets.splits import InvalidSplits, Split, Splitting, named_prompts

ROWS: Final = 48
_LONGEST_NAMED: Final = 1_000_000


class DataSetForm(forms.Form):
    """The settings of a data set; `settings` are those of a valid form."""

    most_persons = IntegerField(min_value=0, max_value=1000)
    most_classes = IntegerField(min_value=0, max_value=1000)
    least_confidence = FloatField(min_value=0, max_value=1)
    moderation_from = FloatField(min_value=0, max_value=1)
    words = forms.CharField(required=False, max_length=2000)
    real_score = DecimalField(min_value=1, max_value=10, max_digits=4, decimal_places=2)
    seed = IntegerField(min_value=0, max_value=2**31 - 1)
    validation = FloatField(min_value=0, max_value=1)
    test = FloatField(min_value=0, max_value=1)
    validation_prompts = forms.CharField(required=False, max_length=_LONGEST_NAMED, widget=forms.Textarea)
    test_prompts = forms.CharField(required=False, max_length=_LONGEST_NAMED, widget=forms.Textarea)
    most_pairs = IntegerField(min_value=2, max_value=10 * MOST_PAIRS)
    invalid_from = IntegerField(min_value=1, max_value=MOST_VOTES)

    @classmethod
    def showing(cls, settings: DataSetSettings) -> DataSetForm:
        """Return the form with these settings."""
        said = settings.as_json()
        named = {f"{split}_prompts": "\n".join(prompts) for split, prompts in said["named"].items()}
        texts = {"words": ", ".join(settings.filters.words), "real_score": float(settings.real_score)}
        return cls(initial={**said, **said["filters"], **named, **texts})

    def clean(self) -> dict[str, Any]:
        """Check what depends on several fields: words, shares, prompts named twice."""
        said: dict[str, Any] = self.cleaned_data
        if self.errors:
            return said
        try:
            names = ("most_persons", "most_classes", "least_confidence", "moderation_from")
            filters = Filters(**{name: said[name] for name in names}, words=words_of(said["words"]))
            named: dict[Split, list[str]] = {
                "validation": lines_of(said["validation_prompts"]),
                "test": lines_of(said["test_prompts"]),
            }
            splitting = Splitting(said["seed"], said["validation"], said["test"], named_prompts(named))
            self.settings = DataSetSettings(
                filters, Fraction(said["real_score"]), splitting, said["most_pairs"], said["invalid_from"]
            )
        except InvalidFilter as invalid:
            self.add_error(invalid.field, forms.ValidationError(str(invalid), "filter"))
        except InvalidSplits as invalid:
            field = "test_prompts" if "named in" in str(invalid) else "test"
            self.add_error(field, forms.ValidationError(str(invalid), "splits"))
        return said


@form_page
def data_set_filters(request: SignedIn, slug: str) -> HttpResponse:
    """Show settings and the images left out by reason; save settings, or take images back."""
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project)
    act = request.POST.get("action", "")
    if act == "settings":
        return _save(request, project)
    if act in ("keep", "exclude"):
        return _take_back(request, project, kept=act == "keep")
    return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")


def _save(request: SignedIn, project: Project) -> HttpResponse:
    key, form = key_of_form(request), DataSetForm(request.POST)
    if key is None:
        return incomplete_form()
    if not form.is_valid():
        return _page(request, project, settings=form)
    before = settings_of(project)
    try:
        changed = save_settings(project, form.settings, request.user)
    except (InvalidSplits, TooManyVotes) as invalid:
        field = "test_prompts" if isinstance(invalid, InvalidSplits) else "invalid_from"
        form.add_error(field, str(invalid))
        return _page(request, project, settings=form)
    if changed and before.filters != form.settings.filters:
        return redirect("job", request_filters(project=project, actor=request.user, request_key=key).pk)
    if changed:
        messages.success(request, "The settings of the data set are saved.", "saved")
    else:
        messages.info(request, "No changes.", "unchanged")
    return redirect("data_set_filters", project.slug)


def _take_back(request: SignedIn, project: Project, *, kept: bool) -> HttpResponse:
    try:
        images = [UUID(text) for text in request.POST.getlist("image")[:ROWS]]
    except ValueError:
        return incomplete_form()
    changed = take_back(project, images, kept=kept, actor=request.user)
    done = "taken back" if kept else "left out again"
    words = f"1 image is {done}." if changed == 1 else f"{changed:,} images are {done}."
    messages.success(request, words, "taken-back" if kept else "excluded")
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect(f"{request.path}{query}")


def _page(request: SignedIn, project: Project, settings: DataSetForm | None = None) -> HttpResponse:
    counts, reason = counts_of(project), request.GET.get("reason", "")
    kept = request.GET.get("kept") == "1"
    page = page_of(request, filtered_images(project, reason, kept=kept), ROWS)
    context: dict[str, Any] = {
        "project": project,
        "section": "images",
        "form": settings or DataSetForm.showing(settings_of(project)),
        "counts": counts,
        "reasons": [(name, words, counts[name]) for name, words in REASONS.items()],
        "reason": reason if reason in REASONS else "",
        "kept": kept,
        "page": page,
        "tiles": [(image, _words(image.screening.reasons)) for image in page],
        "key": uuid4(),
    }
    status = 422 if settings else 200
    return render(request, "annotator/images/data_set_filters.html", context, status=status)


def _words(reasons: str) -> str:
    return ", ".join(REASONS[name] for name in reasons.split() if name in REASONS)
