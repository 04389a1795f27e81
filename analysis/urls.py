"""Addresses of the analysis package."""

from __future__ import annotations

from django.urls import path

from analysis import views

urlpatterns = [
    path("projects/<slug:slug>/reports/<slug:kind>/", views.report, name="report"),
    path("projects/<slug:slug>/reports/<slug:kind>/status/", views.report_status, name="report_status"),
    path("projects/<slug:slug>/reports/<slug:kind>/refresh/", views.report_refresh, name="report_refresh"),
    path("projects/<slug:slug>/reports/<slug:kind>.json", views.report_json, name="report_json"),
    path("projects/<slug:slug>/export/<slug:layout>.csv", views.export, name="export"),
]
