"""Addresses of the annotator package."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import views as auth_views
from django.urls import URLPattern, URLResolver, include, path, reverse_lazy

from annotator.web.views import data_sets
from annotator.web.views.account import account, invitations, panel, signing_in, tokens
from annotator.web.views.exchange import importing, suggestions
from annotator.web.views.faces import marking
from annotator.web.views.guidelines import editing, rating_forms, reading
from annotator.web.views.inviting import many, recruiting
from annotator.web.views.labelling import (
    annotation_endpoints,
    image_files,
    labelling,
    preferences,
    queue,
)
from annotator.web.views.lead import (
    batch_new,
    batch_people,
    batches,
    deleting,
    history,
    images,
    jobs,
    people,
    progress,
    projects,
    prompts,
)
from annotator.web.views.lead.annotations import annotation
from annotator.web.views.norming import session, starting
from annotator.web.views.questions import answering, asking
from annotator.web.views.training import feedback, references, standings
from annotator.web.views.uploads import upload_files, upload_page

_OF_PROJECT: list[URLPattern | URLResolver] = [
    path("details/", projects.project_details, name="project_details"),
    path("delete/", deleting.project_delete, name="project_delete"),
    path("undo-deletion/", deleting.project_take_back, name="project_take_back"),
    path("guideline/", reading.guideline, name="guideline"),
    path("forms/", rating_forms.rating_forms, name="rating_forms"),
    path("forms/new/", rating_forms.rating_form_new, name="rating_form_new"),
    path("forms/<slug:form>/", rating_forms.rating_form, name="rating_form"),
    path("forms/<slug:form>/try/", rating_forms.rating_form_try, name="rating_form_try"),
    path("references/", references.references, name="references"),
    path("references/<int:pk>/", references.reference_change, name="reference_change"),
    path("references/drawn/", references.training_drawn, name="training_drawn"),
    path("standings/", standings.standings, name="standings"),
    path("norming/", starting.norming_sessions, name="norming_sessions"),
    path("norming/<int:pk>/", session.norming, name="norming"),
    path("norming/<int:pk>/live/", session.norming_live, name="norming_live"),
    path("norming/<int:pk>/comment/", session.norming_comment, name="norming_comment"),
    path("norming/<int:pk>/state/", session.norming_state, name="norming_state"),
    path("images/<uuid:public_id>/reference/", references.reference_add, name="reference_add"),
    path("guideline/edit/", editing.guideline_edit, name="guideline_edit"),
    path("guideline/publish/", editing.guideline_publish, name="guideline_publish"),
    path("uploads/", upload_page.uploads, name="uploads"),
    path("uploads/<uuid:public_id>/", upload_page.upload, name="upload"),
    path("uploads/<uuid:public_id>/progress/", upload_page.upload_progress, name="upload_progress"),
    path("data-set/", data_sets.data_set_filters, name="data_set_filters"),
    path("prompts/", prompts.prompts, name="prompts"),
    path("people/", people.people, name="people"),
    path("people/invite/", many.invitations_many, name="invitations_many"),
    path("people/recruit/", recruiting.recruitment_new, name="recruitment_new"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/faces/", marking.person_faces, name="person_faces"),
    path("suggestions/", suggestions.suggestions, name="suggestions"),
    path("suggestions/<int:pk>/withdraw/", suggestions.suggestions_withdraw, name="suggestions_withdraw"),
    path("faces/", marking.faces, name="faces"),
    path("faces/looked-at/", marking.faces_looked_at, name="faces_looked_at"),
    path("rows/<slug:kind>/", importing.import_rows, name="import_rows"),
    path("rows/<slug:kind>/<int:pk>/", importing.rows_reading, name="rows_reading"),
    path("faces/<uuid:public_id>/", marking.faces_image, name="faces_image"),
    path("batches/", batches.batches, name="batches"),
    path("batches/new/", batch_new.batch_new, name="batch_new"),
    path("batches/new/images/", batch_new.batch_images, name="batch_images"),
    path("history/", history.history, name="history"),
    path("questions/", answering.questions, name="questions"),
    path("questions/mine/", asking.own_questions_page, name="own_questions"),
    path("queue/", queue.queue, name="queue"),
    path("queue/stop/", panel.recruitment_stop, name="recruitment_stop"),
    path("images/", images.project_images, name="project_images"),
    path("images/<uuid:public_id>/", images.image_detail, name="image_detail"),
    path("images/<uuid:public_id>/marks/", images.image_marks, name="image_marks"),
    path("images/<uuid:public_id>/delete/", deleting.image_delete, name="image_delete"),
    path("problems/", projects.project_problems, name="project_problems"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/password/", signing_in.password_change, name="password_change"),
    path("assignments/<int:pk>/", labelling.label, name="label"),
    path("assignments/<int:pk>/state", annotation_endpoints.answer_state, name="answer_state"),
    path("assignments/<int:pk>/save", annotation_endpoints.answer_save, name="answer_save"),
    path("assignments/<int:pk>/submit", annotation_endpoints.answer_submit, name="answer_submit"),
    path("assignments/<int:pk>/skip", annotation_endpoints.answer_skip, name="answer_skip"),
    path("assignments/<int:pk>/reopen", annotation_endpoints.answer_reopen, name="answer_reopen"),
    path("assignments/<int:pk>/feedback/", feedback.training_feedback, name="training_feedback"),
    path("assignments/<int:pk>/ask/", asking.question_ask, name="question_ask"),
    path("assignments/<int:pk>/question", asking.question_send, name="question_send"),
    path("assignments/<int:pk>/guideline", reading.guideline_cells, name="guideline_cells"),
    path("annotations/<int:pk>/", annotation, name="annotation"),
    path("pictures/<str:token>", image_files.image_picture, name="image_picture"),
    path("settings/", preferences.preferences, name="preferences"),
    path("settings/account/", account.account, name="account"),
    path("settings/account/delete/", account.account_delete, name="account_delete"),
    path("settings/tokens/", tokens.tokens, name="tokens"),
    path("settings/tokens/<int:pk>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("guide/", reading.guide, name="guide"),
    path("batches/<int:pk>/", batches.batch, name="batch"),
    path("batches/<int:pk>/settings/", batches.batch_settings, name="batch_settings"),
    path("batches/<int:pk>/status/", batches.batch_status, name="batch_status"),
    path("batches/<int:pk>/result/", feedback.qualification_result, name="qualification_result"),
    path("batches/<int:pk>/people/", batch_people.batch_people, name="batch_people"),
    path("batches/<int:pk>/progress/", progress.batch_progress, name="batch_progress"),
    path("questions/<int:pk>/", answering.question, name="question"),
    path("questions/<int:pk>/reply/", asking.question_reply, name="question_reply"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("jobs/<int:pk>/status/", jobs.job_status, name="job_status"),
    path("jobs/<int:pk>/cancel/", jobs.job_cancel, name="job_cancel"),
    path("join/", invitations.invitation_accept, name="invitation_accept"),
    path("join/ended/", panel.recruitment_ended, name="recruitment_ended"),
    path("join/<str:secret>/", invitations.invitation, name="invitation"),
    path("invitations/<int:pk>/revoke/", invitations.invitation_revoke, name="invitation_revoke"),
    path("recruitments/<int:pk>/", recruiting.recruitment, name="recruitment"),
    path("uploads/<uuid:public_id>/files/", upload_files.upload_files, name="upload_files"),
    path("uploads/<uuid:public_id>/known/", upload_files.upload_known, name="upload_known"),
    # Before the projects themselves: none is called so.
    path("projects/new/", projects.project_new, name="project_new"),
    path("projects/<slug:slug>/", include(_OF_PROJECT)),
]

if settings.MAIL_FROM:
    urlpatterns += [
        path("settings/account/address/", account.account_address, name="account_address"),
        path("accounts/password/forgotten/", auth_views.PasswordResetView.as_view(), name="password_reset"),
        path(
            "accounts/password/sent/", auth_views.PasswordResetDoneView.as_view(), name="password_reset_done"
        ),
        path(
            "accounts/password/new/<uidb64>/<token>/",
            auth_views.PasswordResetConfirmView.as_view(success_url=reverse_lazy("login")),
            name="password_reset_confirm",
        ),
    ]
