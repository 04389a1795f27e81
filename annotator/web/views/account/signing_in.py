"""The pages for signing in and changing the password."""

from __future__ import annotations

from typing import Any

from allauth.account.utils import perform_login
from allauth.mfa.base.views import authenticate
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy

from annotator.models import User
from annotator.signing_in.throttling import check_own_password, locked_words


class SignIn(auth_views.LoginView):
    """User name and password, then the code if the account has a second factor."""

    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the single sign-on provider, if any."""
        return super().get_context_data(**kwargs, single_sign_on=settings.SINGLE_SIGN_ON)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Continue to the second factor, or sign in."""
        answer: HttpResponse = perform_login(
            self.request, form.get_user(), redirect_url=self.get_success_url()
        )
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Report incorrect credentials, or a lockout."""
        if not getattr(self.request, "axes_locked_out", False):
            return super().form_invalid(form)
        context = self.get_context_data(form=form, locked=locked_words())
        seconds = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
        return self.render_to_response(context, status=429, headers={"Retry-After": seconds})


sign_in = SignIn.as_view()


def code(request: HttpRequest) -> HttpResponseBase:
    """Ask for the code. allauth would treat a request without one as a security key, which is unsupported."""
    if request.method == "POST" and "code" not in request.POST:
        return redirect("mfa_authenticate")
    answer: HttpResponseBase = authenticate(request)
    return answer


class OwnPasswordForm(PasswordChangeForm):
    """The old password, with failed attempts counted, and the new one twice."""

    request: HttpRequest

    def clean_old_password(self) -> str:
        """Refuse an incorrect password."""
        password: str = self.cleaned_data["old_password"]
        check_own_password(self.request, self.user, password)
        return password


class PasswordChange(auth_views.PasswordChangeView):
    """Change the password, or set one for an account that only uses single sign-on."""

    template_name = "annotator/account/password_change.html"
    success_url = reverse_lazy("home")

    def get_form_class(self) -> Any:
        """Ask for the old password if there is one."""
        user = self.request.user
        return OwnPasswordForm if isinstance(user, User) and user.has_usable_password() else SetPasswordForm

    def get_form(self, form_class: Any = None) -> Any:
        """Pass the request to the form, which counts failed attempts."""
        form: Any = super().get_form(form_class)
        form.request = self.request
        return form


password_change = PasswordChange.as_view()


def admin_sign_in(request: HttpRequest, extra_context: Any = None) -> HttpResponseBase:  # noqa: ARG001
    """Redirect from the admin's own sign-in, which has no second factor, to the site's."""
    if admin.site.has_permission(request):
        return redirect("admin:index")
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next") or str(reverse_lazy("admin:index")))
