"""Reset a forgotten password by email. Only where email is set up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import PasswordResetForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, User
from annotator.records.accounts import record_account

PAUSE: Final = timedelta(minutes=10)
"""Minimum time between two emails to an account."""
REQUESTED: Final = "password_reset_requested"


class ResetForm(PasswordResetForm):
    """Django's form, which names no account; an account gets one email in ten minutes."""

    def get_users(self, email: str) -> Iterator[User]:
        """Yield the accounts with this address for which no reset was requested just before."""
        lately = Event.objects.filter(project=None, verb=REQUESTED, created_at__gt=timezone.now() - PAUSE)
        asked = set(lately.values_list("data__account", flat=True))
        for user in super().get_users(email):
            if user.pk not in asked:
                record_account(REQUESTED, user, actor=None)
                yield user


class _WhereMailIsSetUp:
    """Respond as if the page did not exist where no email can be sent."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Raise Http404 without mail."""
        if not settings.MAIL_FROM:
            raise Http404("This site sends no email.")
        return super().dispatch(request, *args, **kwargs)  # type: ignore[misc, no-any-return]


class PasswordReset(_WhereMailIsSetUp, auth_views.PasswordResetView):
    """Ask for the address and send a link to the accounts that have it; the answer is always the same."""

    template_name = "annotator/account/password_reset.html"
    subject_template_name = "annotator/account/password_reset_subject.txt"
    email_template_name = "annotator/account/password_reset_mail.txt"
    form_class = ResetForm
    success_url = reverse_lazy("login")

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Send the links and say what happens next."""
        answer: HttpResponse = super().form_valid(form)
        told = "If an account has this address, a link is on its way. It works once, for three days."
        messages.success(self.request, told, extra_tags="reset-sent")
        return answer


class PasswordResetConfirm(_WhereMailIsSetUp, auth_views.PasswordResetConfirmView):
    """Set a new password by the link; signing in asks for the second factor as always."""

    template_name = "annotator/account/password_reset_confirm.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: Any) -> HttpResponse:
        """Store the password and record an Event; all sessions end."""
        with write_transaction():
            answer: HttpResponse = super().form_valid(form)
            record_account("password_reset", form.user, actor=None)
        messages.success(self.request, "Your new password is set. Sign in with it.", extra_tags="reset")
        return answer


password_reset = PasswordReset.as_view()
password_reset_confirm = PasswordResetConfirm.as_view()
