"""The Django admin: accounts, and the names and weights of projects.

All else changes only on pages, which record Events. Edits here record one too; for an account it names the
fields, never their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model
from django.http import HttpRequest

from annotator.models import Annotation, Event, Project, User

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    AccountModelAdmin = UserAdmin[User]
else:
    ModelAdmin, AccountModelAdmin = admin.ModelAdmin, UserAdmin

admin.site.site_header = admin.site.site_title = "Anatomark"


@admin.register(User)
class AccountAdmin(AccountModelAdmin):
    """Accounts. They are deactivated, not deleted, because Events name them."""

    def log_addition(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Record an Event for a new account."""
        self._record(request, obj, "account_added", [])
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Record an Event for a changed account, including a new password."""
        said = message if isinstance(message, list) else []
        fields = [name for part in said for name in part.get("changed", {}).get("fields", ())]
        self._record(request, obj, "account_changed", fields if said else ["Password"])
        return super().log_change(request, obj, message)

    @staticmethod
    def _record(request: HttpRequest, user: User, verb: str, fields: list[str]) -> None:
        rights = {name: getattr(user, name) for name in ("is_active", "is_staff", "is_superuser")}
        data = {"account": user.pk, "fields": fields, **rights}
        Event.objects.create(project=None, actor_id=request.user.pk, verb=verb, data=data)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Project)
class ProjectAdmin(ModelAdmin):
    """Names and weights of projects: every edit records an Event, with the replaced values."""

    fields = ("name", "weights")
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """Weights are fixed once an annotation is submitted: its ratings depend on them."""
        rated = Annotation.objects.filter(
            ratings__isnull=False, assignment__batch__project=obj.pk if obj else 0
        )
        return ["weights"] if rated.exists() else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the edit and the Event, in the transaction of the admin's view."""
        edited = Project.objects.filter(pk=obj.pk).values("name", "weights")
        before = edited.get()
        super().save_model(request, obj, form, change)
        if (after := edited.get()) != before:
            data = {"replaced": before, "settings": after}
            Event.objects.create(project=obj, actor_id=request.user.pk, verb="project_changed", data=data)
