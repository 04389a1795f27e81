"""The database models."""

from annotator.models.annotations import Adjudication, Annotation
from annotator.models.data_sets import DataSet, Screening
from annotator.models.events import Event
from annotator.models.exchange import ApiToken, Suggestion, SuggestionRun, Upload, UploadedFile
from annotator.models.faces import FaceDecision
from annotator.models.guidelines import Guideline, GuidelineVersion
from annotator.models.images import Image
from annotator.models.jobs import Job, LeasedWork, WorkerSeen
from annotator.models.norming import NormedImage, NormingComment, NormingSession
from annotator.models.people import Invitation, Membership, Recruited, User
from annotator.models.projects import Project
from annotator.models.questions import Question, Reply
from annotator.models.rating_forms import RatingForm
from annotator.models.references import Reference
from annotator.models.standings import Attempt, Qualification, Standing
from annotator.models.summaries import ImageSummary
from annotator.models.work import Assignment, Batch, Plan

__all__ = [
    "Adjudication",
    "Annotation",
    "ApiToken",
    "Assignment",
    "Attempt",
    "Batch",
    "DataSet",
    "Event",
    "FaceDecision",
    "Guideline",
    "GuidelineVersion",
    "Image",
    "ImageSummary",
    "Invitation",
    "Job",
    "LeasedWork",
    "Membership",
    "NormedImage",
    "NormingComment",
    "NormingSession",
    "Plan",
    "Project",
    "Qualification",
    "Question",
    "RatingForm",
    "Recruited",
    "Reference",
    "Reply",
    "Screening",
    "Standing",
    "Suggestion",
    "SuggestionRun",
    "Upload",
    "UploadedFile",
    "User",
    "WorkerSeen",
]
