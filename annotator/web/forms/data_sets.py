"""The form of the settings of a data set."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from django import forms

from annotator.data_sets.settings import MOST_VOTES, DataSetSettings, lines_of
from annotator.inputs.numbers import DecimalField, FloatField, IntegerField
from scoring.data_sets.filters import Filters, InvalidFilter, words_of
from scoring.data_sets.preference_pairs import MOST_PAIRS
from scoring.data_sets.splits import InvalidSplits, Split, Splitting, named_prompts

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
