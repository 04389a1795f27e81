"""The user's own account: its address, and its deletion."""

from __future__ import annotations

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import as_form_error
from annotator.models import User
from annotator.people.codes import PersonRefused
from annotator.records.accounts import delete_account, record_account
from annotator.signing_in.throttling import check_own_password
from annotator.web.views.pages import SignedIn, post_page, safe_page


class DeleteForm(forms.Form):
    """The password of the signed-in user; without a password (single sign-on only), the user name."""

    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, request: SignedIn, data: Any = None, **more: Any) -> None:
        """Check against the signed-in user's password."""
        super().__init__(data, **more)
        self.request, self.user = request, request.user
        if not self.user.has_usable_password():
            self.fields["password"].widget = forms.TextInput(attrs={"autocomplete": "off"})

    def clean_password(self) -> str:
        """Refuse an incorrect password or user name."""
        given: str = self.cleaned_data["password"]
        if self.user.has_usable_password():
            check_own_password(self.request, self.user, given)
        elif given != self.user.username:
            raise forms.ValidationError("This is not your user name.")
        return given


class AddressForm(DeleteForm):
    """The address of an account, empty to remove it, and the password, because a reset goes there."""

    field_order = ("email", "password")
    prefix = "address"

    email = forms.EmailField(required=False, widget=forms.EmailInput({"autocomplete": "email"}))


@safe_page
def account(request: SignedIn) -> HttpResponse:
    """Show the account page."""
    return _page(request, DeleteForm(request))


@post_page
@sensitive_post_parameters("address-password")
def account_address(request: SignedIn) -> HttpResponse:
    """Store or remove the signed-in user's address if the password is correct."""
    user = request.user
    if not user.has_usable_password():
        raise Http404("This account has no password to reset.")
    form = AddressForm(request, request.POST)
    if not form.is_valid():
        return _page(request, DeleteForm(request), address=form, status=422)
    address = form.cleaned_data["email"]
    with write_transaction():
        User.objects.filter(pk=user.pk).update(email=address)
        record_account("address_changed", user, actor=user)
    messages.success(request, f"Email address {'saved' if address else 'removed'}.", extra_tags="address")
    return redirect("account")


@post_page
@sensitive_post_parameters("password")
def account_delete(request: SignedIn) -> HttpResponse:
    """Delete the signed-in user's account if the password is correct."""
    user = request.user
    form = DeleteForm(request, request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        delete_account(user=user, actor=user)
    except PersonRefused as refusal:
        form.add_error(None, as_form_error(refusal))
        return _page(request, form, status=422)
    logout(request)
    messages.success(request, "Your account is deleted.", "deleted")
    return redirect("login")


def _page(
    request: SignedIn, form: DeleteForm, *, address: AddressForm | None = None, status: int = 200
) -> HttpResponse:
    user = request.user
    if address is None and settings.MAIL_FROM and user.has_usable_password():
        # Only a password can be reset, and only by email.
        address = AddressForm(request, initial={"email": user.email})
    context = {
        "form": form,
        "address": address,
        "delete_label": "Your password" if user.has_usable_password() else "Enter your user name to confirm",
        "second_factor": is_mfa_enabled(user),
        "single_sign_on": settings.SINGLE_SIGN_ON,
        "linked": SocialAccount.objects.filter(user=user).exists(),
    }
    return render(request, "annotator/account/account.html", context, status=status)
