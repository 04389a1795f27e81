"""Sign in or link an account through the OpenID provider, and unlink it."""

from __future__ import annotations

import logging

import requests
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotator.database.transactions import write_transaction
from annotator.models import User
from annotator.signing_in.provider_requests import limited_time
from annotator.signing_in.single_sign_on import CheckedAdapter, configured, no_sign_in
from annotator.web.views.pages import post_page

# Whatever shape the provider's JSON has.
_BROKEN = (
    *(requests.RequestException, OAuth2Error, ArithmeticError, AttributeError),
    *(LookupError, TypeError, ValueError),
)

log = logging.getLogger(__name__)


@require_POST
@never_cache
def single_sign_on(request: HttpRequest) -> HttpResponse:
    """Start a sign-in, or link the signed-in account."""
    name = configured().name
    if request.user.is_authenticated and is_reauthentication_required(request, app="allauth.mfa"):
        messages.info(request, "Confirm your identity, then link your account.")
        return redirect(
            f"{resolve_url('account_reauthenticate')}?{urlencode({'next': resolve_url('account')})}"
        )
    process = "connect" if request.user.is_authenticated else "login"
    provider = get_adapter().get_provider(request, "openid_connect")
    try:
        with limited_time():
            onward = provider.redirect(request, process, next_url=get_next_redirect_url(request))
        address = onward["Location"]
    except _BROKEN as error:
        log.warning("The identity provider gave no usable answer (%s).", type(error).__name__)
        messages.error(request, f"{name} is not responding. Try again in a minute.", "no-answer")
        return redirect("account" if request.user.is_authenticated else "login")
    # A page rather than a redirect: the content security policy limits form targets to this site.
    return render(request, "signing_in/onward.html", {"address": address, "name": name})


@require_safe
@never_cache
def single_sign_on_callback(request: HttpRequest) -> HttpResponse:
    """Handle the provider's reply."""
    view = OAuth2CallbackView.adapter_view(CheckedAdapter(request, configured().key))
    try:
        with limited_time():
            answer: HttpResponse = view(request)
    except _BROKEN as error:
        log.warning("The identity provider gave no usable answer (%s).", type(error).__name__)
        messages.error(request, no_sign_in(), "no-sign-in")
        return redirect("account" if request.user.is_authenticated else "login")
    return answer


@post_page
def single_sign_on_unlink(request: HttpRequest) -> HttpResponse:
    """Unlink the account if it has a password to sign in with."""
    user = request.user
    assert isinstance(user, User)  # signed in
    if not user.has_usable_password():
        told = "Set a password first. Without the link you would have no other way to sign in."
        messages.error(request, told, "no-password")
        return redirect("account")
    with write_transaction():
        SocialAccount.objects.filter(user=user).delete()
    messages.success(request, "Account unlinked. Sign in with your password from now on.", "unlinked")
    return redirect("account")
