"""URLs of the analysis package."""

from __future__ import annotations

from django.urls import path

from analysis.web.views.adjudication import image_adjudicate
from analysis.web.views.body_map import body_map
from analysis.web.views.bundles import bundle, bundle_file
from analysis.web.views.causes import causes
from analysis.web.views.disagreements import disagreements, report_disagreements
from analysis.web.views.exports import export_file, exports
from analysis.web.views.figures import figure
from analysis.web.views.home import home, need_resolve, project, results_so_far
from analysis.web.views.metrics import metric_order_file, metrics
from analysis.web.views.prompts import prompts
from analysis.web.views.report_sections import report_section, report_table
from analysis.web.views.reports import (
    report,
    report_cancel,
    report_json,
    report_print,
    report_refresh,
    report_status,
)

REPORT = "projects/<slug:slug>/reports/<slug:kind>"

urlpatterns = [
    path("", home, name="home"),
    path("projects/<slug:slug>/", project, name="project"),
    path("projects/<slug:slug>/reports/comparison/print/", report_print, name="report_print"),
    path("projects/<slug:slug>/needs/resolve/", need_resolve, name="need_resolve"),
    path("projects/<slug:slug>/results-so-far/", results_so_far, name="results_so_far"),
    path(f"{REPORT}/", report, name="report"),
    path(f"{REPORT}/status/", report_status, name="report_status"),
    path(f"{REPORT}/refresh/", report_refresh, name="report_refresh"),
    path(f"{REPORT}/cancel/", report_cancel, name="report_cancel"),
    path(f"{REPORT}.json", report_json, name="report_json"),
    path(f"{REPORT}/<int:pk>/<slug:table>.csv", report_table, name="report_table"),
    path(f"{REPORT}/<int:pk>/sections/<slug:name>/", report_section, name="report_section"),
    path(f"{REPORT}/<int:pk>/figures/<slug:name>.<slug:form>", figure, name="report_figure"),
    path(
        "projects/<slug:slug>/reports/agreement/<int:pk>/disagreements/",
        report_disagreements,
        name="report_disagreements",
    ),
    path("projects/<slug:slug>/reports/comparison/body-map/", body_map, name="body_map"),
    path("projects/<slug:slug>/reports/comparison/prompts/", prompts, name="report_prompts"),
    path("projects/<slug:slug>/reports/comparison/metrics/", metrics, name="report_metrics"),
    path(
        "projects/<slug:slug>/reports/comparison/metrics/order.<slug:form>",
        metric_order_file,
        name="metric_order_file",
    ),
    path("projects/<slug:slug>/disagreements/", disagreements, name="disagreements"),
    path("projects/<slug:slug>/causes/", causes, name="causes"),
    path(
        "projects/<slug:slug>/images/<uuid:public_id>/adjudicate/", image_adjudicate, name="image_adjudicate"
    ),
    path("projects/<slug:slug>/exports/", exports, name="exports"),
    path("projects/<slug:slug>/exports/<int:pk>/file/", export_file, name="export_file"),
    path("projects/<slug:slug>/exports/bundle/", bundle, name="bundle"),
    path("projects/<slug:slug>/exports/bundle/<int:pk>/file/", bundle_file, name="bundle_file"),
]
