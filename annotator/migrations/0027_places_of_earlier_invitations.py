"""Hold a place for open invitations from before places existed, so that batches can be planned with them too."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import timezone

LONGEST = 140


def hold(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Make an annotator without an account for each code that nobody has; may run twice."""
    invitation, membership = (
        apps.get_model("annotator", "Invitation"),
        apps.get_model("annotator", "Membership"),
    )
    waiting = invitation.objects.filter(
        role="annotator", made_place=False, used_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    for each in waiting.select_related("project").order_by("pk"):
        held = membership.objects.filter(project=each.project_id, code__iexact=each.code)
        if not each.code or held.exists():
            continue
        account = apps.get_model("annotator", "User").objects.create(
            username=_free_name(apps, f"{each.project.slug}.{each.code}"),
            is_active=False,
            password=make_password(None),
        )
        membership.objects.create(project_id=each.project_id, user=account, role="annotator", code=each.code)
        invitation.objects.filter(pk=each.pk).update(made_place=True)


def _free_name(apps: Any, wanted: str) -> str:
    base = re.sub(r"[^\w.@+-]+", "-", wanted, flags=re.ASCII)[:LONGEST]
    taken = set(
        apps.get_model("annotator", "User")
        .objects.filter(username__startswith=base)
        .values_list("username", flat=True)
    )
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}-{count}"
    return name


class Migration(migrations.Migration):
    dependencies = [("annotator", "0026_gallery_rows")]

    operations = [migrations.RunPython(hold, migrations.RunPython.noop)]
