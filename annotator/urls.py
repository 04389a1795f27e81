"""Addresses of the annotator package."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from annotator.views.home import home

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
]
