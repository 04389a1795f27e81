"""What needs a lead because of annotators: what quality reports say, silence, old drafts, expired links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone

from analysis.home.need_row import Harm, Need, day_of, several, together
from analysis.home.project_work import AnnotatorWork, ProjectWork, work_of
from analysis.home.reviewing import at_most
from annotator.batches.completion import INACTIVE_AFTER, inactive_days
from annotator.models import Invitation, Membership, Project

OLD_DRAFT: Final = timedelta(days=3)


def annotator_needs(
    projects: Sequence[Project],
    work: Mapping[int, ProjectWork],
    now: datetime,
    resolved: Collection[tuple[int, str]] = (),
) -> Iterator[Need]:
    """Yield what needs the leads of these projects; one query.

    Lines of quality reports that are `resolved`, by project and key, do not count in a row that stands for
    several either.
    """
    expired = _expired(projects, now)
    for project in projects:
        people = work[project.pk].annotators
        quality = reverse("report", args=[project.slug, "quality"])
        members = reverse("people", args=[project.slug])
        watched = [need for each in people if (need := _quality(project, each))]
        watched = [need for need in watched if (project.pk, need.key) not in resolved]
        yield from together(watched, "{} annotators need a look", "See quality", quality)
        inactive = {each.member.pk: days for each in people if (days := inactivity_of(each, now))}
        quiet = [
            _inactive(project, each, inactive[each.member.pk])
            for each in people
            if each.member.pk in inactive
        ]
        words = f"{{}} annotators have been inactive for {INACTIVE_AFTER.days} days or more"
        yield from together(quiet, words, "See people", members)
        yield from _old_drafts(project, [each for each in people if each.member.pk not in inactive], now)
        if found := expired.get(project.pk):
            yield _expiry(project, found, members)


def _quality(project: Project, each: AnnotatorWork) -> Need | None:
    """Return what a quality report says of somebody to look at or to check."""
    line = next((one for one in each.quality if one.reasons), None)
    if line is None:
        return None
    code = each.member.code
    protocol = urlencode({"protocol": line.protocol})
    return Need(
        project.pk,
        "quality",
        Harm.NUMBERS if line.verdict == "stop" else Harm.DECISION,
        f"{code}: {line.reasons[0][:1].lower()}{line.reasons[0][1:]}",
        "; ".join(line.reasons[1:]) or "From anchors, repeats and times. Nobody is stopped automatically.",
        f"Look at {code}",
        f"{reverse('report', args=[project.slug, 'quality'])}?{protocol}#annotator-{code}",
        pictures=list(line.images),
        state=f"{each.member.pk} {line.protocol} {','.join(line.codes)}",
    )


def inactivity_of(each: AnnotatorWork, now: datetime) -> int:
    """Return for how many days an annotator who can sign in has been inactive; 0 if they are not."""
    able = each.member.is_active and each.member.has_account
    return inactive_days(each.waiting, now, each.last_seen, each.since) if able else 0


def inactivity_by_code(project: Project) -> dict[str, str]:
    """Return code → how long an annotator with work left has been inactive; `work_of` has the queries."""
    now = timezone.now()
    found = [(each, inactivity_of(each, now)) for each in work_of([project])[project.pk].annotators]
    return {
        each.member.code: f"Inactive for {several(days, 'day')}; {several(each.waiting, 'image')} left"
        for each, days in found
        if days
    }


def _inactive(project: Project, each: AnnotatorWork, days: int) -> Need:
    code = each.member.code
    said = [f"{several(each.waiting, 'image')} left"]
    if each.drafts and each.oldest_draft is not None:
        said.append(f"{several(each.drafts, 'draft')} open since {day_of(each.oldest_draft)}")
    return Need(
        project.pk,
        "silent",
        Harm.SILENCE,
        f"{code} has been inactive for {several(days, 'day')}",
        "; ".join(said),
        f"See {code}",
        reverse("person", args=[project.slug, each.member.pk]),
        state=f"{each.member.pk} {each.last_seen}",
    )


def _old_drafts(project: Project, people: Sequence[AnnotatorWork], now: datetime) -> Iterator[Need]:
    behind = [each for each in people if each.oldest_draft and now - each.oldest_draft >= OLD_DRAFT]
    if not behind:
        return
    oldest = min(behind, key=lambda each: each.oldest_draft or now)
    assert oldest.oldest_draft is not None
    codes = ", ".join(each.member.code for each in behind[:3])
    more = f" and {at_most(len(behind) - 3)} more" if len(behind) > 3 else ""
    yield Need(
        project.pk,
        "drafts",
        Harm.SILENCE,
        f"{several(len(behind), 'annotator has', 'annotators have')} drafts older than {OLD_DRAFT.days} days",
        f"{codes}{more}; the oldest is from {day_of(oldest.oldest_draft)}",
        "See drafts",
        reverse("batch_progress", args=[oldest.batch]) + "?state=draft"
        if oldest.batch
        else reverse("batches", args=[project.slug]),
        count=len(behind),
        state=f"{len(behind)} {oldest.oldest_draft}",
    )


def _expired(projects: Sequence[Project], now: datetime) -> dict[int, list[Invitation]]:
    """Return project → expired invitations that nobody has used or replaced."""
    same = {"project": OuterRef("project"), "code": OuterRef("code")}
    joined = Membership.objects.filter(**same, is_active=True, user__is_active=True)
    newer = Invitation.objects.filter(**same, pk__gt=OuterRef("pk"))
    found: dict[int, list[Invitation]] = defaultdict(list)
    lapsed = Invitation.objects.filter(
        ~Exists(joined),
        ~Exists(newer),
        project__in=projects,
        used_at=None,
        revoked_at=None,
        expires_at__lte=now,
    )
    for each in lapsed.order_by("expires_at", "pk"):
        found[each.project_id].append(each)
    return found


def _expiry(project: Project, found: Sequence[Invitation], address: str) -> Need:
    codes = [each.code for each in found if each.code][:3]
    return Need(
        project.pk,
        "expired",
        Harm.SILENCE,
        f"{several(len(found), 'invitation has', 'invitations have')} expired",
        f"{', '.join(codes) or 'Unused'}; the last on {day_of(found[-1].expires_at)}",
        "See invitations",
        address,
        count=len(found),
        state=str(max(each.pk for each in found)),
    )
