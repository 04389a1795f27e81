"""Access rights: one line for every address of the site.

A new address fails `tests/test_permissions.py` until it has a line here: its name, what stands in it (taken
from one side of the world), who may open it, and with which methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from analysis.models import Report
from annotator.images.signed_urls import image_url
from tests.permissions.world import Side

ANYBODY = frozenset(
    {
        "anonymous",
        "annotator A",
        "annotator B",
        "reviewer",
        "lead",
        "lead of the other project",
        "deactivated lead",
        "lead whose account is off",
        "superuser",
    }
)
SIGNED_IN = ANYBODY - {"anonymous", "lead whose account is off"}
MEMBERS = frozenset({"annotator A", "annotator B", "reviewer", "lead"})
OVERSEERS = frozenset({"reviewer", "lead"})
LEAD = frozenset({"lead"})
# Leads may create another project; a superuser may through the Django admin's permission.
MAKERS = frozenset({"lead", "lead of the other project", "superuser"})
A = frozenset({"annotator A"})
B = frozenset({"annotator B"})
NOBODY: frozenset[str] = frozenset()

READ = ("GET", "HEAD")
FORM = ("GET", "HEAD", "POST")
POST = ("POST",)
EVERY = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
GENERIC = ("GET", "HEAD", "POST", "PUT", "OPTIONS")  # what Django's own class-based forms take


@dataclass(frozen=True)
class Line:
    """One address: `name` as in urls.py, `parts` its arguments on a side."""

    name: str
    parts: Callable[[Side], list[Any]]
    who: frozenset[str]
    methods: tuple[str, ...] = READ
    sends: str = ""  # the body of a form, where an empty one is answered like an address that is not there
    shows: str = ""  # a canary that only this page shows, to those who may open it
    says: int = 200  # a status that would be an error elsewhere


def parts(*names: str) -> Callable[[Side], list[Any]]:
    """Return what takes the arguments of an address from a side."""
    return lambda side: [attrgetter(name)(side) for name in names]


nothing, slug, batch, job = parts(), parts("slug"), parts("batch.pk"), parts("job.pk")
of_a, of_b, asked = parts("of_a.pk"), parts("of_b.pk"), parts("question.pk")
normed, member = parts("slug", "norming.pk"), parts("slug", "b.pk")
upload, image = parts("slug", "upload.public_id"), parts("slug", "image.public_id")


def report(side: Side) -> list[Any]:
    return [side.slug, "agreement"]


def comparison(side: Side) -> list[Any]:
    return [side.slug, "comparison"]


def agreement_done(side: Side) -> list[Any]:
    done = Report.objects.filter(project__slug=side.slug, kind="agreement", status="done")
    return [side.slug, "agreement", done.earliest("pk").pk]


def picture_of(letter: str) -> Callable[[Side], list[Any]]:
    """Return a page's image URL for one annotator."""

    def of(side: Side) -> list[Any]:
        user, image = (side.a.user, side.image) if letter == "a" else (side.b.user, side.image_of_b)
        assert user is not None
        return [image_url(image, user).rsplit("/", 1)[-1]]

    return of


TABLE = [
    Line("login", nothing, ANYBODY, GENERIC),
    Line("logout", nothing, ANYBODY, ("POST", "OPTIONS")),
    Line("account_login", nothing, ANYBODY, GENERIC),  # allauth's name of the same
    Line(
        "mfa_authenticate", nothing, ANYBODY, EVERY
    ),  # sends everybody away who has not just given a password
    Line("account_reauthenticate", nothing, NOBODY, GENERIC),  # who has no password here is turned away
    Line("mfa_reauthenticate", nothing, NOBODY, GENERIC),
    Line("single_sign_on", nothing, NOBODY, POST),  # there is no such page where no provider is set
    Line("single_sign_on_callback", nothing, NOBODY),
    Line("single_sign_on_unlink", nothing, SIGNED_IN, POST),
    Line("mfa_index", nothing, SIGNED_IN),  # allauth's name of the account's page
    Line("mfa_activate_totp", nothing, SIGNED_IN, GENERIC),
    Line("mfa_deactivate_totp", nothing, NOBODY, GENERIC),  # nobody of them has one
    Line("mfa_view_recovery_codes", nothing, NOBODY),
    Line("mfa_generate_recovery_codes", nothing, SIGNED_IN, GENERIC),
    Line("mfa_download_recovery_codes", nothing, NOBODY),
    Line("home", nothing, SIGNED_IN),
    Line("password_change", nothing, SIGNED_IN, GENERIC),
    Line("password_reset", nothing, ANYBODY, GENERIC),
    Line("password_reset_done", nothing, ANYBODY),
    Line("password_reset_confirm", lambda _: ["MQ", "set-password"], ANYBODY, GENERIC),
    Line("account_address", nothing, NOBODY, POST),
    Line("preferences", nothing, SIGNED_IN, FORM),
    Line("account", nothing, SIGNED_IN),
    Line("account_delete", nothing, SIGNED_IN, POST),
    Line("tokens", nothing, SIGNED_IN, FORM),
    Line("token_revoke", lambda side: [side.token.pk], LEAD, POST),
    Line("guide", nothing, SIGNED_IN),
    Line("health_live", nothing, ANYBODY),
    Line("health_ready", nothing, ANYBODY, says=503),  # no worker runs here
    Line("offline", nothing, ANYBODY),
    Line("offline_worker", nothing, ANYBODY),
    # Everyone gets the same redirect and, without an open invitation, the same page.
    Line("invitation", lambda side: [side.secret], ANYBODY),
    Line("invitation", lambda _: ["unknown"], ANYBODY),
    Line("invitation_accept", nothing, NOBODY, FORM),
    Line("recruitment_ended", nothing, NOBODY),
    Line("recruitment_stop", slug, A, POST),
    Line("guideline", slug, MEMBERS),
    Line("guideline_edit", slug, LEAD, FORM, "revision=1&drawn=on"),
    Line("guideline_publish", slug, LEAD, FORM, "revision=0"),
    Line("rating_forms", slug, LEAD),
    Line("rating_form_new", slug, LEAD, FORM),
    Line("rating_form_try", lambda side: [side.slug, side.form], LEAD, FORM),
    Line("rating_form", lambda side: [side.slug, side.form], LEAD, FORM),
    Line("references", slug, LEAD, FORM),
    Line("training_drawn", slug, LEAD, POST),
    Line("standings", slug, LEAD, FORM, "action=days&days=30"),
    Line("qualification_result", lambda side: [side.exam.pk], A, FORM),
    Line("norming_sessions", slug, LEAD, FORM),
    # Participants may open it once its answers are revealed; nobody is told of it before.
    Line("norming", normed, LEAD, FORM),
    Line("norming_live", normed, LEAD),
    Line("norming_comment", normed, LEAD, POST),
    Line("norming_state", normed, LEAD, POST),
    Line("faces", slug, LEAD),
    Line("faces_looked_at", slug, LEAD, POST),
    Line("suggestions", slug, LEAD),
    Line("suggestions_withdraw", lambda side: [side.slug, side.suggestions.pk], LEAD, POST),
    Line("faces_image", image, LEAD, FORM, "action=none"),
    Line("import_rows", lambda side: [side.slug, "answers"], LEAD, FORM),
    Line("rows_reading", lambda side: [side.slug, "faces", side.face_check.pk], LEAD, FORM),
    Line("person_faces", lambda side: [side.slug, side.a.pk], LEAD, POST),
    Line("reference_add", image, LEAD, POST),
    Line("reference_change", lambda side: [side.slug, side.reference.pk], LEAD, POST),
    Line("training_feedback", lambda side: [side.trained.pk], A, FORM),
    Line("guideline_cells", of_a, A),
    Line("guideline_cells", of_b, B),
    Line("label", of_a, A, FORM),
    Line("label", of_b, B, FORM),
    Line("answer_state", of_a, A),
    Line("answer_state", of_b, B),
    Line("answer_save", of_a, A, POST),
    Line("answer_save", of_b, B, POST),
    Line("answer_submit", of_a, A, POST),
    Line("answer_submit", of_b, B, POST),
    Line("answer_skip", of_a, A, POST),
    Line("answer_reopen", of_a, A, POST),
    Line("image_picture", picture_of("a"), A),
    Line("image_picture", picture_of("b"), B),
    Line("queue", slug, MEMBERS),
    Line("annotation", lambda side: [side.answer_of_a.pk], LEAD, FORM),
    Line("question_ask", of_a, A, FORM),
    Line("question_ask", of_b, B, FORM),
    Line("question_send", of_a, A, POST),
    Line("question_send", of_b, B, POST),
    Line("own_questions", slug, MEMBERS, FORM),
    Line("question_reply", asked, A, POST),
    Line("questions", slug, LEAD),
    Line("question", asked, LEAD, POST),
    Line("need_resolve", slug, LEAD, POST, "key=gone&reason=enough"),
    Line("results_so_far", slug, LEAD, POST),
    Line("batches", slug, LEAD),
    Line("batch", batch, LEAD),
    Line("batch_settings", batch, LEAD, POST),
    Line("batch_status", batch, LEAD, POST, "action=close&reason=enough"),
    Line("batch_progress", batch, LEAD),
    Line("batch_people", batch, LEAD, FORM),
    Line("batch_new", slug, LEAD, FORM),
    Line("batch_images", slug, LEAD),
    Line("job", job, LEAD),
    Line("job_status", job, LEAD),
    Line("job_cancel", job, LEAD, POST),
    Line("upload_files", lambda side: [side.upload.public_id], LEAD, POST),
    Line("upload_known", lambda side: [side.upload.public_id], LEAD, POST),
    Line("project_new", nothing, MAKERS, FORM),
    Line("project", slug, LEAD),
    Line("uploads", slug, LEAD, FORM),
    Line("upload", upload, LEAD, FORM),
    Line("upload_progress", upload, LEAD),
    Line("data_set_filters", slug, LEAD, FORM, "action=keep"),
    Line("prompts", slug, LEAD, FORM),
    Line("history", slug, LEAD),
    Line("project_images", slug, LEAD),
    Line("image_detail", image, LEAD),
    Line("image_marks", image, LEAD),
    Line("project_details", slug, LEAD, FORM, "new=twinning"),
    Line("project_problems", slug, LEAD),
    Line("project_delete", slug, LEAD, POST),
    Line("project_take_back", slug, LEAD, POST),
    Line("image_delete", image, LEAD, POST, "typed=0&reason=enough"),
    Line("people", slug, LEAD),
    Line("person", member, LEAD, FORM),
    Line("invitations_many", slug, LEAD, FORM),
    Line("recruitment_new", slug, LEAD, POST),
    Line("recruitment", lambda side: [side.recruitment.pk], LEAD, shows="panel id"),
    Line("invitation_revoke", lambda side: [side.invitation.pk], LEAD, POST),
    Line("report", report, OVERSEERS),
    Line("report", comparison, OVERSEERS),
    Line("report_print", slug, OVERSEERS),
    Line("report_status", report, OVERSEERS),
    Line("report_refresh", report, OVERSEERS, POST),
    Line("report_cancel", report, OVERSEERS, POST),
    Line("report_section", lambda side: [*agreement_done(side), "pairs"], OVERSEERS),
    Line("report_table", lambda side: [*agreement_done(side), "pairs"], OVERSEERS),
    Line("report_figure", lambda side: [*agreement_done(side), "ladder", "csv"], OVERSEERS),
    Line("disagreements", slug, OVERSEERS),
    Line("report_disagreements", lambda side: [side.slug, agreement_done(side)[-1]], OVERSEERS),
    Line("image_adjudicate", image, LEAD, FORM),
    Line("causes", slug, OVERSEERS),
    Line("body_map", slug, OVERSEERS),
    Line("report_prompts", slug, OVERSEERS),
    Line("report_metrics", slug, LEAD, FORM, "action=remove"),
    Line("metric_order_file", lambda side: [side.slug, "svg"], LEAD),
    Line("report_json", report, OVERSEERS),
    Line("report_json", comparison, OVERSEERS),
    Line("exports", slug, LEAD, FORM, "layout=marks&format=csv"),
    Line("export_file", lambda side: [side.slug, side.made.pk], LEAD),
    Line("bundle", slug, LEAD, POST, "pictures=hashes"),
    Line("bundle_file", lambda side: [side.slug, side.bundle.pk], LEAD),
]

# Canaries of their own side that people may read; they may read none of the other side.
THREAD = ("question of a", "answer of lead")
OWN = {
    "annotator A": {
        "project",
        "batch",
        "code a",
        "account a",
        "answer a",
        *THREAD,
        "rationale",
        "guideline",
    },
    "annotator B": {"project", "batch", "code b", "account b", "answer b", "guideline"},
    "reviewer": {
        *("project", "batch", "generator", "prompt", "group", "account reviewer", "guideline"),
        *("code a", "code b", "code lead", "code reviewer", "code off"),
    },
    "deactivated lead": {"account off"},  # their own name, in the header
}
EVERYTHING_OF = {"lead": 1, "lead of the other project": 2}
# Not shown to anyone, not even leads: shown once or never.
NEVER = {"panel id", "token's secret", "hash of the token"}
