"""One prompt's images from best to worst: the page, and the strip as a file."""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from analysis.access import membership_seeing_numbers
from analysis.first_screen.best_to_worst import BestToWorst, Placed, best_to_worst
from analysis.first_screen.strip_picture import Tile, shrunk, strip_png, strip_svg
from analysis.tables.wording import counted
from annotator.images.display import UnreadableImage, open_display
from annotator.models import Membership, Project
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol, chosen_protocol
from scoring.protocol import INVALID_FROM

FORMS: Final = {"svg": ("image/svg+xml", strip_svg), "png": ("image/png", strip_png)}


@require_safe
@never_cache
@login_required
def strip(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a prompt's images from best to worst; `?prompt=` names it, else the first."""
    membership, chosen = _asked(request, slug)
    found = best_to_worst(membership.project, chosen.slug, request.GET.get("prompt"))
    keep = {PARAMETER: chosen.slug} if chosen.several else {}
    context: dict[str, Any] = {
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "chosen": chosen,
        "strip": found,
        "words": _words(found, chosen) if found else "",
        "asked": request.GET.get("prompt"),
    }
    if found:
        context["links"] = {
            name: f"?{urlencode({'prompt': prompt, **keep})}"
            for name, prompt in (("previous", found.previous), ("next", found.next))
            if prompt
        }
        context["file_query"] = f"?{urlencode({'prompt': found.prompt, **keep})}"
    return render(request, "analysis/ranking/strip.html", context)


@require_safe
@never_cache
@login_required
def strip_file(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """Send the strip as SVG or PNG with embedded images; without scores, it says so and has none."""
    membership, chosen = _asked(request, slug)
    found = best_to_worst(membership.project, chosen.slug, request.GET.get("prompt"))
    if form not in FORMS or found is None:
        raise Http404("No such strip.")
    kind, draw = FORMS[form]
    tiles = [_tile(one, at > 0) for group in found.groups for at, one in enumerate(group)]
    name = f"{_file_stem(membership.project, found.prompt)}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(
        draw(found.prompt or "(no prompt)", _words(found, chosen), tiles), kind, headers=headers
    )


def _asked(request: HttpRequest, slug: str) -> tuple[Membership, ChosenProtocol]:
    membership = membership_seeing_numbers(request.user, slug)
    return membership, chosen_protocol(request, membership.project)


def _tile(one: Placed, tied: bool) -> Tile:
    picture = None
    if one.image.display_state != one.image.DisplayState.FAILED:
        try:
            with open_display(one.image) as file:
                picture = shrunk(BytesIO(file.read()))
        except (UnreadableImage, OSError):
            picture = None  # its place and score still count
    return Tile(picture, one.score, one.image.generator, tied)


def _words(found: BestToWorst, chosen: ChosenProtocol) -> str:
    """Return what the strip shows and what it leaves out, as sentences."""
    better = "Higher is better." if found.higher_is_better else "Lower is better."
    said = [
        f"{chosen.protocol.headline.title}, best to worst. {better} {counted(found.scored, 'scored image')}"
    ]
    if len(found.shown) < found.scored:
        said[0] += f", {len(found.shown)} of them at equal steps of rank"
    if found.unscored:
        said.append(f"{counted(found.unscored, 'image')} without a score not shown")
    if found.invalid_from != INVALID_FROM:
        said.append(f"images with {found.invalid_from} or more invalid votes have no score")
    if found.not_read:
        said.append(f"{counted(found.not_read, 'image')} beyond the first 1,000 of the prompt not read")
    return "; ".join(said) + "."


def _file_stem(project: Project, prompt: str) -> str:
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in prompt.lower())[:60]
    return f"{project.slug}-best-to-worst-{'-'.join(filter(None, plain.split('-'))) or 'strip'}"
