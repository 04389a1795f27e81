"""The Django admin: manage people and roles, view data.

Annotations, assignments and images change only through services, which record Events. Edits here record one
too; for an account it names the fields, never their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model
from django.http import HttpRequest

from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project, User
from scoring.grid.severity_weights import weights_from

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    ProjectModelForm = forms.ModelForm[Project]
    AccountModelAdmin = UserAdmin[User]
else:
    ModelAdmin, ProjectModelForm, AccountModelAdmin = admin.ModelAdmin, forms.ModelForm, UserAdmin

admin.site.site_header = admin.site.site_title = "Anatomark"


class KeptAdmin(ModelAdmin):
    """For rows that data depends on: they may change but cannot be deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class RecordedAdmin(KeptAdmin):
    """For settings: every edit records an Event in its project, with the replaced values."""

    def record(self, row: Any, verb: str, request: HttpRequest, data: dict[str, Any]) -> None:
        """Record the Event; `row` is a project or belongs to one."""
        project = row if isinstance(row, Project) else row.project
        Event.objects.create(project=project, actor_id=request.user.pk, verb=verb, data=data)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the edit and the Event, in the transaction of the admin's view."""
        names = [obj._meta.get_field(name).attname for name in form.changed_data]
        stored = type(obj)._base_manager.filter(pk=obj.pk).values(*names).first() if names else None
        super().save_model(request, obj, form, change)
        about = {"membership": obj.pk, "code": obj.code} if isinstance(obj, Membership) else {}
        noun = obj._meta.model_name
        if not change:
            self.record(obj, f"{noun}_added", request, {**about, **_made(obj)})
            return
        # A form also reports fields as changed that were only retyped.
        after = {name: getattr(obj, name) for name in names if (stored or {}).get(name) != getattr(obj, name)}
        if after:
            before = {name: (stored or {}).get(name) for name in after}
            self.record(obj, f"{noun}_changed", request, {**about, "replaced": before, "settings": after})


def _made(row: Membership | Project) -> dict[str, Any]:
    if isinstance(row, Project):
        return {"name": row.name, "slug": row.slug}
    return {"account": row.user_id, "role": row.role}


class ReadOnlyAdmin(KeptAdmin):
    """For rows that only services write."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


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
class ProjectAdmin(RecordedAdmin):
    """Projects and their weights."""

    form = ProjectForm
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """Weights are fixed once an annotation is submitted: its ratings depend on them."""
        if obj is None:
            return []
        rated = Annotation.objects.filter(ratings__isnull=False, assignment__batch__project=obj.pk)
        return ["weights"] if rated.exists() else []


class RowSelect(AutocompleteSelect):
    """A choice by primary key that ignores other input, on which Django's own fails."""

    def optgroups(self, name: str, value: Any, attr: dict[str, Any] | None = None) -> Any:
        """Show the chosen rows, ignoring values that are not numbers."""
        return super().optgroups(name, [text for text in value if str(text).isdecimal()], attr)


@admin.register(Membership)
class MembershipAdmin(RecordedAdmin):
    """Members and their roles."""

    list_display = ["code", "project", "user", "role", "is_active"]
    list_filter = ["role", "is_active", "project"]
    list_select_related = ["project", "user"]
    search_fields = ["code", "user__username"]
    autocomplete_fields = ["project", "user"]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        widget = RowSelect(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **{"widget": widget, **kwargs})


@admin.register(Image)
class ImageAdmin(ReadOnlyAdmin):
    """Images and the state of their display copies."""

    list_display = ["source_name", "project", "generator", "prompt", "number", "display_state"]
    list_filter = ["display_state", "project"]
    list_select_related = ["project"]
    search_fields = ["source_name", "generator", "prompt"]
    exclude = ["file", "display"]  # private media have no address, so the admin cannot link them
    readonly_fields = ["stored_original", "stored_display"]

    @admin.display
    def stored_original(self, image: Image) -> str:
        """The original's name in the storage."""
        return str(image.file.name)

    @admin.display
    def stored_display(self, image: Image) -> str:
        """The display copy's name in the storage; empty until it is made."""
        return str(image.display.name)


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    """Released batches."""

    list_display = ["name", "project", "protocol", "overlap", "per_image", "seed", "guided", "score_shown"]
    list_filter = ["project"]
    list_select_related = ["project"]


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    """Assignments."""

    list_display = ["pk", "batch", "position", "annotator", "image", "status"]
    list_filter = ["status", "batch__project"]
    list_select_related = ["batch", "annotator", "image"]


@admin.register(Annotation)
class AnnotationAdmin(ReadOnlyAdmin):
    """Annotations."""

    list_display = ["pk", "assignment", "status", "version", "saved_at", "submitted_at"]
    list_filter = ["status", "assignment__batch__project"]
    list_select_related = ["assignment__annotator", "assignment__image"]


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Events: append-only, even for superusers."""

    list_display = ["created_at", "verb", "project", "actor", "assignment"]
    list_filter = ["verb", "project"]
    list_select_related = ["project", "actor", "assignment__annotator", "assignment__image"]
    ordering = ["-pk"]
