"""Revoke and accept invitations.

The address of a link contains the secret. It only redirects to an address without it, so that no page,
referrer or sign-in passes it on; the session remembers the invitation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from annotator.inputs.refusal import as_form_error
from annotator.models import Invitation, Membership, User
from annotator.people.access import invitation_as_lead
from annotator.people.codes import PersonRefused
from annotator.people.invitations import (
    AlreadyMember,
    NewAccount,
    accept_invitation,
    invitation_with,
    revoke_invitation,
    state_of,
)
from annotator.people.places import InvitationClosed, InvitationState, abandoned_places
from annotator.signing_in import newcomers
from annotator.web.views.account.panel import before_joining
from annotator.web.views.pages import SignedIn, post_page

if TYPE_CHECKING:
    AccountForm = UserCreationForm[User]
else:
    AccountForm = UserCreationForm

CODE_GONE = (
    "The code reserved for you is now used by another member. Nothing was stored. "
    "Ask the sender of the link for a new invitation."
)


class NewAccountForm(AccountForm):
    """User name and password, checked by Django's rules; the service stores them."""

    class Meta:
        model = User
        fields = ("username",)


class LinkedAccountForm(forms.Form):
    """A user name for an account that signs in through the OpenID provider."""

    username = forms.CharField(
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )


@post_page
def invitation_revoke(request: SignedIn, pk: int) -> HttpResponse:
    """Revoke an invitation, or close a recruitment link."""
    invitation = invitation_as_lead(request.user, pk)
    done = revoke_invitation(invitation=invitation, actor=request.user)
    if invitation.recruits:
        told = "The recruitment link is closed. Nobody else can join through it."
        code = "closed" if done else "closed-before"
    elif done:
        waits = abandoned_places(invitation.project).filter(code=invitation.code).first()
        told = f"The invitation for {invitation.code} is revoked. Its link no longer works."
        if waits is not None:
            told += f" Images that wait for {invitation.code}: {waits.unfinished:,}."
        code = "revoked-work-waits" if waits else "revoked"
    else:
        told, code = f"The invitation for {invitation.code} has already been used or revoked.", "used"
    messages.add_message(request, messages.SUCCESS if done else messages.WARNING, told, code)
    return redirect("people", invitation.project.slug)


@require_safe
@never_cache
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Store what the link leads to, if anything, in the session; redirect to an address without secret."""
    newcomers.remember_link(request, invitation_with(secret))
    response = redirect("invitation_accept")
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password1", "password2")
def invitation_accept(request: HttpRequest) -> HttpResponse:
    """Show the invitation; accept it with a new account or the signed-in one."""
    opened = newcomers.opened_invitation(request)
    if opened is None:
        return _useless(request)
    if isinstance(request.user, User):
        member = Membership.objects.filter(user=request.user, project=opened.project).first()
        if member is not None:
            known = {"member": member, "project": member.project}
            return render(request, "annotator/inviting/invitation_member.html", known)
    if state_of(opened) != InvitationState.OPEN:
        return _useless(request, opened)
    if opened.recruits and (first := before_joining(request, opened)) is not None:
        return first
    # Accept only the invitation that the page showed: another link may have been opened since.
    if request.method != "POST" or request.POST.get("invitation") != str(opened.pk):
        return _accept_page(request, opened, NewAccountForm())
    return _accepted(request, opened)


def _accepted(request: HttpRequest, opened: Invitation) -> HttpResponse:
    newcomer = newcomers.remembered(request)
    linked = newcomer is not None and request.POST.get("with") == "single-sign-on"
    form = LinkedAccountForm(request.POST) if linked else NewAccountForm(request.POST)
    if not isinstance(request.user, User) and not form.is_valid():
        return _accept_page(request, opened, form, status=422)
    user: User | NewAccount
    if isinstance(request.user, User):
        user = request.user
    elif newcomer is not None and linked:
        name = form.cleaned_data["username"]
        user = NewAccount(name, provider=newcomer.provider, uid=newcomer.uid)
    else:
        user = NewAccount(form.cleaned_data["username"], form.cleaned_data["password1"])
    try:
        member = accept_invitation(invitation=opened, user=user, entry=newcomers.panel_entry(request))
    except InvitationClosed:
        return _useless(request, opened)
    except AlreadyMember:
        return redirect("invitation_accept")
    except PersonRefused as refusal:
        if refusal.field != "username":
            # Only leads may learn who has the code.
            told = CODE_GONE if refusal.field == "code" else str(refusal)
            return _accept_page(request, opened, NewAccountForm(), refusal=told, status=422)
        form.add_error("username", as_form_error(refusal))
        return _accept_page(request, opened, form, status=422)
    return _welcome(request, member)


def _welcome(request: HttpRequest, member: Membership) -> HttpResponse:
    if not request.user.is_authenticated:
        assert member.user is not None  # just made
        login(request, member.user, backend="annotator.signing_in.backends.Accounts")
    newcomers.forget_link(request)
    newcomers.forget(request)
    messages.success(request, f"Welcome to {member.project.name}. Your code is {member.code}.", "welcome")
    return redirect("home")


def _useless(request: HttpRequest, opened: Invitation | None = None) -> HttpResponse:
    """Show the same page for a used, revoked, expired or unknown link; say if a recruitment link is full."""
    full = opened is not None and opened.recruits and state_of(opened) == InvitationState.USED
    return render(request, "annotator/inviting/invitation_invalid.html", {"full": full}, status=404)


def _accept_page(
    request: HttpRequest,
    opened: Invitation,
    form: NewAccountForm | LinkedAccountForm,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    newcomer = newcomers.remembered(request) if settings.SINGLE_SIGN_ON else None
    suggested = {"username": newcomer.suggested} if newcomer else {}
    context = {
        "invitation": opened,
        "project": opened.project,
        "form": form,
        "refusal": refusal,
        "single_sign_on": settings.SINGLE_SIGN_ON,
        "newcomer": newcomer,
        "linked_form": form if isinstance(form, LinkedAccountForm) else LinkedAccountForm(initial=suggested),
    }
    return render(request, "annotator/inviting/invitation_accept.html", context, status=status)
