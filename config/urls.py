"""Addresses of the site."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

from annotator.views.offline import offline, offline_worker

# Scripts get JSON, people a page.
handler400 = "analysis.api.refusals.bad_request"
handler500 = "analysis.api.refusals.server_error"

urlpatterns = [
    path("accounts/login/", auth_views.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("offline/", offline, name="offline"),
    path("offline-worker.js", offline_worker, name="offline_worker"),
    path("api/v1/", include(("analysis.api.urls", "api"))),
    path("", include("annotator.urls")),
    path("", include("analysis.urls")),
    path("", include("config.operations.urls")),
]
