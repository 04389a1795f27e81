"""Reports in the Django admin, read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from analysis.models import Report

if TYPE_CHECKING:
    ReportModelAdmin = admin.ModelAdmin[Report]
else:
    ReportModelAdmin = admin.ModelAdmin


@admin.register(Report)
class ReportAdmin(ReportModelAdmin):
    """Only services create and finish rows; deleting one is allowed."""

    list_display = ("project", "kind", "status", "attempts", "annotations", "created_at", "finished_at")
    list_filter = ("status", "kind")
    list_select_related = ("project",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Forbid adding rows by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        """Forbid changing rows by hand."""
        return False
