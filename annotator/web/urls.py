"""Addresses of the annotator package."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from annotator.web.views.account.account import (
    account,
    account_address,
    account_delete,
    account_sign_out,
)
from annotator.web.views.account.invitations import (
    invitation,
    invitation_accept,
    invitation_revoke,
)
from annotator.web.views.account.panel import recruitment_ended, recruitment_stop
from annotator.web.views.account.resetting import password_reset, password_reset_confirm
from annotator.web.views.account.signing_in import password_change
from annotator.web.views.account.tokens import token_revoke, tokens
from annotator.web.views.data_sets import data_set_filters
from annotator.web.views.exchange.importing import import_rows, rows_reading
from annotator.web.views.exchange.suggestions import suggestions, suggestions_withdraw
from annotator.web.views.faces.marking import faces, faces_image, faces_looked_at, person_faces
from annotator.web.views.guidelines.editing import guideline_edit, guideline_publish
from annotator.web.views.guidelines.rating_forms import (
    rating_form,
    rating_form_new,
    rating_form_try,
    rating_forms,
)
from annotator.web.views.guidelines.reading import guideline, guideline_cells
from annotator.web.views.inviting.many import invitation_renew, invitations_many
from annotator.web.views.inviting.recruiting import (
    recruitment,
    recruitment_close,
    recruitment_new,
    recruitment_renew,
)
from annotator.web.views.labelling.annotation_endpoints import (
    answer_reopen,
    answer_save,
    answer_skip,
    answer_state,
    answer_submit,
)
from annotator.web.views.labelling.guide import guide
from annotator.web.views.labelling.image_files import image_picture
from annotator.web.views.labelling.labelling import label
from annotator.web.views.labelling.preferences import preferences
from annotator.web.views.labelling.queue import queue
from annotator.web.views.lead.annotations import annotation, own_answer
from annotator.web.views.lead.batch_new import batch_images, batch_new, batch_preview
from annotator.web.views.lead.batch_people import batch_people
from annotator.web.views.lead.batches import (
    batch,
    batch_plan,
    batch_settings,
    batch_status,
    batches,
)
from annotator.web.views.lead.deleting import (
    image_delete,
    project_delete,
    project_take_back,
)
from annotator.web.views.lead.history import history
from annotator.web.views.lead.images import image_detail, image_marks, project_images
from annotator.web.views.lead.jobs import job, job_cancel, job_status
from annotator.web.views.lead.people import people, person, person_deactivate, person_reactivate, person_role
from annotator.web.views.lead.progress import batch_progress
from annotator.web.views.lead.projects import project_details, project_new, project_problems
from annotator.web.views.lead.prompts import prompts
from annotator.web.views.norming.session import (
    norming,
    norming_comment,
    norming_live,
    norming_state,
)
from annotator.web.views.norming.starting import norming_sessions
from annotator.web.views.questions.answering import question, questions
from annotator.web.views.questions.asking import (
    own_questions_page,
    question_ask,
    question_reply,
    question_send,
)
from annotator.web.views.training.feedback import training_feedback
from annotator.web.views.training.references import (
    reference_add,
    reference_change,
    references,
    training_drawn,
)
from annotator.web.views.training.results import qualification_result
from annotator.web.views.training.standings import standings
from annotator.web.views.uploads.upload_files import upload_files, upload_known
from annotator.web.views.uploads.upload_page import upload, upload_progress, uploads

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/password/", password_change, name="password_change"),
    path("accounts/password/forgotten/", password_reset, name="password_reset"),
    path("accounts/password/new/<uidb64>/<token>/", password_reset_confirm, name="password_reset_confirm"),
    path("assignments/<int:pk>/", label, name="label"),
    path("assignments/<int:pk>/state", answer_state, name="answer_state"),
    path("assignments/<int:pk>/save", answer_save, name="answer_save"),
    path("assignments/<int:pk>/submit", answer_submit, name="answer_submit"),
    path("assignments/<int:pk>/skip", answer_skip, name="answer_skip"),
    path("assignments/<int:pk>/reopen", answer_reopen, name="answer_reopen"),
    path("assignments/<int:pk>/feedback/", training_feedback, name="training_feedback"),
    path("assignments/<int:pk>/ask/", question_ask, name="question_ask"),
    path("assignments/<int:pk>/question", question_send, name="question_send"),
    path("assignments/<int:pk>/guideline", guideline_cells, name="guideline_cells"),
    path("assignments/<int:pk>/answer/", own_answer, name="own_answer"),
    path("annotations/<int:pk>/", annotation, name="annotation"),
    path("pictures/<str:token>", image_picture, name="image_picture"),
    path("settings/", preferences, name="preferences"),
    path("settings/account/", account, name="account"),
    path("settings/account/address/", account_address, name="account_address"),
    path("settings/account/sign-out/", account_sign_out, name="account_sign_out"),
    path("settings/account/delete/", account_delete, name="account_delete"),
    path("settings/tokens/", tokens, name="tokens"),
    path("settings/tokens/<int:pk>/revoke/", token_revoke, name="token_revoke"),
    path("guide/", guide, name="guide"),
    path("batches/<int:pk>/", batch, name="batch"),
    path("batches/<int:pk>/settings/", batch_settings, name="batch_settings"),
    path("batches/<int:pk>/status/", batch_status, name="batch_status"),
    path("batches/<int:pk>/result/", qualification_result, name="qualification_result"),
    path("batches/<int:pk>/plan.csv", batch_plan, name="batch_plan"),
    path("batches/<int:pk>/people/", batch_people, name="batch_people"),
    path("batches/<int:pk>/progress/", batch_progress, name="batch_progress"),
    path("questions/<int:pk>/", question, name="question"),
    path("questions/<int:pk>/reply/", question_reply, name="question_reply"),
    path("jobs/<int:pk>/", job, name="job"),
    path("jobs/<int:pk>/status/", job_status, name="job_status"),
    path("jobs/<int:pk>/cancel/", job_cancel, name="job_cancel"),
    path("join/", invitation_accept, name="invitation_accept"),
    path("join/ended/", recruitment_ended, name="recruitment_ended"),
    path("join/<str:secret>/", invitation, name="invitation"),
    path("invitations/<int:pk>/revoke/", invitation_revoke, name="invitation_revoke"),
    path("invitations/<int:pk>/renew/", invitation_renew, name="invitation_renew"),
    path("recruitments/<int:pk>/", recruitment, name="recruitment"),
    path("recruitments/<int:pk>/close/", recruitment_close, name="recruitment_close"),
    path("recruitments/<int:pk>/renew/", recruitment_renew, name="recruitment_renew"),
    path("uploads/<uuid:public_id>/files/", upload_files, name="upload_files"),
    path("uploads/<uuid:public_id>/known/", upload_known, name="upload_known"),
    # Before the projects themselves: none is called so.
    path("projects/new/", project_new, name="project_new"),
    path("projects/<slug:slug>/details/", project_details, name="project_details"),
    path("projects/<slug:slug>/delete/", project_delete, name="project_delete"),
    path("projects/<slug:slug>/undo-deletion/", project_take_back, name="project_take_back"),
    path("projects/<slug:slug>/guideline/", guideline, name="guideline"),
    path("projects/<slug:slug>/forms/", rating_forms, name="rating_forms"),
    path("projects/<slug:slug>/forms/new/", rating_form_new, name="rating_form_new"),
    path("projects/<slug:slug>/forms/<slug:form>/", rating_form, name="rating_form"),
    path("projects/<slug:slug>/forms/<slug:form>/try/", rating_form_try, name="rating_form_try"),
    path("projects/<slug:slug>/references/", references, name="references"),
    path("projects/<slug:slug>/references/<int:pk>/", reference_change, name="reference_change"),
    path("projects/<slug:slug>/references/drawn/", training_drawn, name="training_drawn"),
    path("projects/<slug:slug>/standings/", standings, name="standings"),
    path("projects/<slug:slug>/norming/", norming_sessions, name="norming_sessions"),
    path("projects/<slug:slug>/norming/<int:pk>/", norming, name="norming"),
    path("projects/<slug:slug>/norming/<int:pk>/live/", norming_live, name="norming_live"),
    path("projects/<slug:slug>/norming/<int:pk>/comment/", norming_comment, name="norming_comment"),
    path("projects/<slug:slug>/norming/<int:pk>/state/", norming_state, name="norming_state"),
    path("projects/<slug:slug>/images/<uuid:public_id>/reference/", reference_add, name="reference_add"),
    path("projects/<slug:slug>/guideline/edit/", guideline_edit, name="guideline_edit"),
    path("projects/<slug:slug>/guideline/publish/", guideline_publish, name="guideline_publish"),
    path("projects/<slug:slug>/uploads/", uploads, name="uploads"),
    path("projects/<slug:slug>/uploads/<uuid:public_id>/", upload, name="upload"),
    path("projects/<slug:slug>/uploads/<uuid:public_id>/progress/", upload_progress, name="upload_progress"),
    path("projects/<slug:slug>/data-set/", data_set_filters, name="data_set_filters"),
    path("projects/<slug:slug>/prompts/", prompts, name="prompts"),
    path("projects/<slug:slug>/people/", people, name="people"),
    path("projects/<slug:slug>/people/invite/", invitations_many, name="invitations_many"),
    path("projects/<slug:slug>/people/recruit/", recruitment_new, name="recruitment_new"),
    path("projects/<slug:slug>/people/<int:pk>/", person, name="person"),
    path("projects/<slug:slug>/people/<int:pk>/role/", person_role, name="person_role"),
    path("projects/<slug:slug>/people/<int:pk>/faces/", person_faces, name="person_faces"),
    path("projects/<slug:slug>/suggestions/", suggestions, name="suggestions"),
    path(
        "projects/<slug:slug>/suggestions/<int:pk>/withdraw/",
        suggestions_withdraw,
        name="suggestions_withdraw",
    ),
    path("projects/<slug:slug>/faces/", faces, name="faces"),
    path("projects/<slug:slug>/faces/looked-at/", faces_looked_at, name="faces_looked_at"),
    path("projects/<slug:slug>/rows/<slug:kind>/", import_rows, name="import_rows"),
    path("projects/<slug:slug>/rows/<slug:kind>/<int:pk>/", rows_reading, name="rows_reading"),
    path("projects/<slug:slug>/faces/<uuid:public_id>/", faces_image, name="faces_image"),
    path("projects/<slug:slug>/people/<int:pk>/deactivate/", person_deactivate, name="person_deactivate"),
    path("projects/<slug:slug>/people/<int:pk>/reactivate/", person_reactivate, name="person_reactivate"),
    path("projects/<slug:slug>/batches/", batches, name="batches"),
    path("projects/<slug:slug>/batches/new/", batch_new, name="batch_new"),
    path("projects/<slug:slug>/batches/new/images/", batch_images, name="batch_images"),
    path("projects/<slug:slug>/batches/new/<int:pk>/", batch_preview, name="batch_preview"),
    path("projects/<slug:slug>/history/", history, name="history"),
    path("projects/<slug:slug>/questions/", questions, name="questions"),
    path("projects/<slug:slug>/questions/mine/", own_questions_page, name="own_questions"),
    path("projects/<slug:slug>/queue/", queue, name="queue"),
    path("projects/<slug:slug>/queue/stop/", recruitment_stop, name="recruitment_stop"),
    path("projects/<slug:slug>/images/", project_images, name="project_images"),
    path("projects/<slug:slug>/images/<uuid:public_id>/", image_detail, name="image_detail"),
    path("projects/<slug:slug>/images/<uuid:public_id>/marks/", image_marks, name="image_marks"),
    path("projects/<slug:slug>/images/<uuid:public_id>/delete/", image_delete, name="image_delete"),
    path("projects/<slug:slug>/problems/", project_problems, name="project_problems"),
]
