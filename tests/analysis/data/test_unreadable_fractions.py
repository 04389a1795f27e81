"""Terms without a readable severity reach the comparison beside the scores."""

from __future__ import annotations

import pytest

from analysis.data.ratings_table import load_frame
from annotator.models import Project
from tests.analysis.factories import make_submitted, make_unread
from tests.factories import make_image, make_member

pytestmark = pytest.mark.django_db


def test_partly_read_annotations_have_their_fractions(project: Project) -> None:
    person = make_member(project, code="reader")
    partly = make_submitted(person, image=make_image(project))
    problems = [{"text": "1/5"}, {"text": "no fraction"}, {"text": "2c/4c"}]
    partly.source, partly.has_unread_terms = {"problems": problems}, True
    partly.save()
    make_submitted(person, image=make_image(project))
    # Nothing of this one was read: it is in no table.
    make_unread(person, make_image(project))
    frame = load_frame(project)
    assert frame.unreadable == ((partly.pk, 0.2), (partly.pk, 0.5))
    assert (frame.annotations["annotator"] == "reader").sum() == 2
