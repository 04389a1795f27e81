"""URLs of the site."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.account.views import reauthenticate
from allauth.mfa.base.views import reauthenticate as code_again
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import (
    download_recovery_codes,
    generate_recovery_codes,
    view_recovery_codes,
)
from allauth.mfa.totp.views import activate_totp, deactivate_totp
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotator.web.views.account.account import account
from annotator.web.views.account.signing_in import admin_sign_in, code, sign_in
from annotator.web.views.account.single_sign_on import (
    single_sign_on,
    single_sign_on_callback,
    single_sign_on_unlink,
)
from annotator.web.views.labelling.offline import offline, offline_worker
from config.operations.views import live, ready

# Scripts get JSON, people a page.
handler400 = "analysis.api.refusals.bad_request"
handler404 = "analysis.api.refusals.not_found"
handler500 = "analysis.api.refusals.server_error"

# Only their owners, or services that record Events, change links and second factors.
for model in (Authenticator, EmailAddress, EmailConfirmation, SocialAccount, SocialApp, SocialToken):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
admin.site.login = admin_sign_in  # type: ignore[method-assign, assignment]

# The allauth URLs in use, under allauth's names. There is no sign-up.
accounts: list[Any] = [
    path("accounts/login/", sign_in, name="login"),
    path("accounts/login/", sign_in, name="account_login"),
    path("accounts/login/code/", code, name="mfa_authenticate"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("accounts/confirm/", never_cache(reauthenticate), name="account_reauthenticate"),
    path("accounts/confirm/code/", never_cache(code_again), name="mfa_reauthenticate"),
    path("accounts/single-sign-on/", single_sign_on, name="single_sign_on"),
    path("accounts/single-sign-on/callback/", single_sign_on_callback, name="single_sign_on_callback"),
    path("settings/account/", account, name="mfa_index"),
    path("settings/account/authenticator/", never_cache(activate_totp), name="mfa_activate_totp"),
    path("settings/account/authenticator/remove/", never_cache(deactivate_totp), name="mfa_deactivate_totp"),
    path(
        "settings/account/codes/",
        require_safe(never_cache(view_recovery_codes)),
        name="mfa_view_recovery_codes",
    ),
    path(
        "settings/account/codes/new/",
        never_cache(generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "settings/account/codes.txt",
        require_safe(never_cache(download_recovery_codes)),
        name="mfa_download_recovery_codes",
    ),
    path("settings/account/unlink/", single_sign_on_unlink, name="single_sign_on_unlink"),
]

urlpatterns = [
    *accounts,
    path("admin/", admin.site.urls),
    path("offline/", offline, name="offline"),
    path("offline-worker.js", offline_worker, name="offline_worker"),
    path("api/v1/", include(("analysis.api.api", "api"))),
    path("", include("annotator.web.urls")),
    path("", include("analysis.web.urls")),
    path("health/live", live, name="health_live"),
    path("health/ready", ready, name="health_ready"),
]
