"""The user's API tokens: list, create and revoke them."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from annotator.inputs.numbers import IntegerField
from annotator.inputs.plain_text import check_direction
from annotator.people.tokens import DAYS, LONGEST_NAME, MOST_DAYS, create_token, revoke_token
from annotator.web.views.pages import SignedIn, form_page, page_of, post_page


class TokenForm(forms.Form):
    """A new token: name and validity."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        validators=[check_direction],
        error_messages={"required": "Enter a name."},
    )
    days = IntegerField(min_value=1, max_value=MOST_DAYS, initial=DAYS)


SHOWN = 20


@form_page
@sensitive_variables("secret")
def tokens(request: SignedIn) -> HttpResponse:
    """List the signed-in user's tokens; create one, whose secret is shown only once."""
    form = TokenForm(request.POST if request.method == "POST" else None, use_required_attribute=False)
    if form.is_bound and form.is_valid():
        token, secret = create_token(user=request.user, **form.cleaned_data)
        return render(request, "annotator/account/tokens_made.html", {"token": token, "secret": secret})
    page = page_of(request, request.user.api_tokens.order_by("-pk"), SHOWN)
    context = {
        "form": form,
        "page": page,
        "now": timezone.now(),
        "days_help": f"From 1 to {MOST_DAYS}.",
    }
    return render(request, "annotator/account/tokens.html", context, status=422 if form.errors else 200)


@post_page
def token_revoke(request: SignedIn, pk: int) -> HttpResponse:
    """Revoke one of the user's own tokens."""
    revoke_token(get_object_or_404(request.user.api_tokens, pk=pk))
    messages.success(request, "The token is revoked. Programs that use it no longer have access.", "revoked")
    return redirect("tokens")
