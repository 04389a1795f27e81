"""The Django admin: accounts, the weights of projects, and the events of the site.

All else changes only on pages, which record Events. Edits here record one too; for an account it names the
fields, never their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model
from django.http import HttpRequest

from annotator.models import Annotation, Event, Project, User
from scoring.grid.severity_weights import weights_from

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    ProjectModelForm = forms.ModelForm[Project]
    AccountModelAdmin = UserAdmin[User]
else:
    ModelAdmin, ProjectModelForm, AccountModelAdmin = admin.ModelAdmin, forms.ModelForm, UserAdmin

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


class ProjectForm(ProjectModelForm):
    """A project, with its weights validated as for the scores."""

    def clean_weights(self) -> Any:
        """Refuse invalid weights."""
        weights = self.cleaned_data["weights"]
        if not isinstance(weights, dict):
            raise forms.ValidationError(
                'Enter the weights as an object such as {"a": "0.2", "b": "0.5", "c": "1"}.'
            )
        try:
            weights_from(weights)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return weights


@admin.register(Project)
class ProjectAdmin(ModelAdmin):
    """Projects and their weights: every edit records an Event, with the replaced values."""

    form = ProjectForm
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """Weights are fixed once an annotation is submitted: its ratings depend on them."""
        if obj is None:
            return []
        rated = Annotation.objects.filter(ratings__isnull=False, assignment__batch__project=obj.pk)
        return ["weights"] if rated.exists() else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the edit and the Event, in the transaction of the admin's view."""
        names = [obj._meta.get_field(name).attname for name in form.changed_data]
        before = Project.objects.filter(pk=obj.pk).values(*names).first() if names else None
        super().save_model(request, obj, form, change)
        # A form also reports fields as changed that were only retyped.
        after = {name: getattr(obj, name) for name in names if before and before[name] != getattr(obj, name)}
        if before and after:
            data = {"replaced": {name: before[name] for name in after}, "settings": after}
            Event.objects.create(project=obj, actor_id=request.user.pk, verb="project_changed", data=data)


@admin.register(Event)
class EventAdmin(ModelAdmin):
    """Events: append-only, even for superusers."""

    show_full_result_count = False
    list_display = ["created_at", "verb", "project", "actor", "assignment"]
    list_filter = ["verb", "project"]
    list_select_related = ["project", "actor", "assignment__annotator", "assignment__image"]
    ordering = ["-pk"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
