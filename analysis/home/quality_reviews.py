"""Alarms of the quality report that a lead has reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.home.annotator_needs import alarm_need_key
from analysis.home.resolving import RESOLVED, resolved_keys
from analysis.models import Report
from annotator.models import Event, Membership, Project, User


def alarm_key(line: Mapping[str, Any], protocol: str, people: Mapping[str, Membership]) -> str:
    """Return the key under which the overview lists an annotator's alarm; empty without one."""
    member = people.get(line["annotator"])
    if member is None or not line["reasons"]:
        return ""
    since = line["score"]["since"] or line["step"]["since"]
    return alarm_need_key(member.pk, protocol, line["reasons"], since)


def review(report: Report, member: Membership, actor: User) -> bool:
    """Record that a lead has reviewed an annotator's alarm, which leaves the overview until it changes.

    Returns False if the report has no alarm of this annotator.
    """
    lines = (report.result or {}).get("lines", ())
    line = next((one for one in lines if one["annotator"] == member.code), None)
    key = alarm_key(line, report.protocol, {member.code: member}) if line else ""
    if line is None or not key:
        return False
    data = {
        "key": key,
        "code": "quality",
        "name": member.code,
        "protocol": report.protocol,
        "verdict": line["verdict"],
        "reasons": line["reasons"],
        "reason": "Reviewed on the quality page",
    }
    Event.objects.create(project=member.project, actor=actor, verb=RESOLVED, data=data)
    return True


def reviewed_codes(report: Report, project: Project) -> set[str]:
    """Return the codes of annotators whose alarm in a quality report was reviewed; two queries."""
    lines = [line for line in (report.result or {}).get("lines", ()) if line["reasons"]]
    codes = [line["annotator"] for line in lines]
    people = {one.code: one for one in project.memberships.filter(code__in=codes)}
    keys = {line["annotator"]: alarm_key(line, report.protocol, people) for line in lines}
    resolved = resolved_keys([project])
    return {code for code, key in keys.items() if (project.pk, key) in resolved}
