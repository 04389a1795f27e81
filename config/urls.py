"""Addresses of the site."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

# Scripts get JSON, people a page.
handler400 = "annotator.views.refusals.bad_request"
handler500 = "annotator.views.refusals.server_error"

urlpatterns = [
    path("accounts/login/", auth_views.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("", include("annotator.urls")),
    path("", include("analysis.urls")),
]
