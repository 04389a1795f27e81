"""URLs of the operations pages."""

from __future__ import annotations

from django.urls import path

from config.operations import views

urlpatterns = [
    path("health/live", views.live, name="health_live"),
    path("health/ready", views.ready, name="health_ready"),
]
