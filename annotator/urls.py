"""Addresses of the annotator package."""

from __future__ import annotations

from django.contrib.auth import views as auth_views
from django.urls import URLPattern, URLResolver, path

from annotator.views.annotations import annotation, own_answer
from annotator.views.answers import answer_reopen, answer_save, answer_skip, answer_state, answer_submit
from annotator.views.answers_in import answers_in, answers_reading
from annotator.views.batch_new import batch_images, batch_new, batch_preview
from annotator.views.batch_people import batch_people, batch_people_proposal
from annotator.views.batches import batch, batch_plan, batch_settings, batch_status, batch_verify, batches
from annotator.views.guide import guide
from annotator.views.home import home
from annotator.views.images import image_detail, project_images
from annotator.views.invitations import invitation, invitation_accept, invitation_new, invitation_revoke
from annotator.views.jobs import job, job_cancel, job_status
from annotator.views.labelling import label
from annotator.views.people import people, person, person_deactivate, person_reactivate, person_role
from annotator.views.preferences import preferences
from annotator.views.progress import batch_progress
from annotator.views.projects import project, project_problems
from annotator.views.queue import queue
from annotator.views.signed_pictures import image_picture

password_change = auth_views.PasswordChangeView.as_view(
    template_name="annotator/password_change.html", success_url="/"
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("accounts/password/", password_change, name="password_change"),
    path("assignments/<int:pk>/", label, name="label"),
    path("assignments/<int:pk>/state", answer_state, name="answer_state"),
    path("assignments/<int:pk>/save", answer_save, name="answer_save"),
    path("assignments/<int:pk>/submit", answer_submit, name="answer_submit"),
    path("assignments/<int:pk>/skip", answer_skip, name="answer_skip"),
    path("assignments/<int:pk>/reopen", answer_reopen, name="answer_reopen"),
    path("assignments/<int:pk>/answer/", own_answer, name="own_answer"),
    path("annotations/<int:pk>/", annotation, name="annotation"),
    path("pictures/<str:token>", image_picture, name="image_picture"),
    path("settings/", preferences, name="preferences"),
    path("guide/", guide, name="guide"),
    path("batches/<int:pk>/", batch, name="batch"),
    path("batches/<int:pk>/settings/", batch_settings, name="batch_settings"),
    path("batches/<int:pk>/status/", batch_status, name="batch_status"),
    path("batches/<int:pk>/verify/", batch_verify, name="batch_verify"),
    path("batches/<int:pk>/plan.csv", batch_plan, name="batch_plan"),
    path("batches/<int:pk>/people/", batch_people, name="batch_people"),
    path("batches/<int:pk>/people/<int:job>/", batch_people_proposal, name="batch_people_proposal"),
    path("batches/<int:pk>/progress/", batch_progress, name="batch_progress"),
    path("jobs/<int:pk>/", job, name="job"),
    path("jobs/<int:pk>/status/", job_status, name="job_status"),
    path("jobs/<int:pk>/cancel/", job_cancel, name="job_cancel"),
    path("join/", invitation_accept, name="invitation_accept"),
    path("join/<str:secret>/", invitation, name="invitation"),
    path("invitations/<int:pk>/revoke/", invitation_revoke, name="invitation_revoke"),
    path("projects/<slug:slug>/", project, name="project"),
    path("projects/<slug:slug>/people/", people, name="people"),
    path("projects/<slug:slug>/people/invite/", invitation_new, name="invitation_new"),
    path("projects/<slug:slug>/people/<int:pk>/", person, name="person"),
    path("projects/<slug:slug>/people/<int:pk>/role/", person_role, name="person_role"),
    path("projects/<slug:slug>/people/<int:pk>/deactivate/", person_deactivate, name="person_deactivate"),
    path("projects/<slug:slug>/people/<int:pk>/reactivate/", person_reactivate, name="person_reactivate"),
    path("projects/<slug:slug>/batches/", batches, name="batches"),
    path("projects/<slug:slug>/batches/new/", batch_new, name="batch_new"),
    path("projects/<slug:slug>/batches/new/images/", batch_images, name="batch_images"),
    path("projects/<slug:slug>/batches/new/<int:pk>/", batch_preview, name="batch_preview"),
    path("projects/<slug:slug>/answers/", answers_in, name="answers_in"),
    path("projects/<slug:slug>/answers/<int:pk>/", answers_reading, name="answers_reading"),
    path("projects/<slug:slug>/queue/", queue, name="queue"),
    path("projects/<slug:slug>/images/", project_images, name="project_images"),
    path("projects/<slug:slug>/images/<uuid:public_id>/", image_detail, name="image_detail"),
    path("projects/<slug:slug>/problems/", project_problems, name="project_problems"),
]
