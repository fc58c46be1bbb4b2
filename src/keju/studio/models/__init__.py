"""What the studio keeps. One module a part of the work; every table is named here."""

from keju.studio.models.items import Comment, Draft, Item, Revision
from keju.studio.models.jobs import Job
from keju.studio.models.journal import Event
from keju.studio.models.media import Asset, Source
from keju.studio.models.people import Membership, Profile, Role, SignInLink
from keju.studio.models.projects import Project, Term
from keju.studio.models.releases import Release, ReleaseItem
from keju.studio.models.runs import ModelMark, ModelRun
from keju.studio.models.sittings import Participant
from keju.studio.models.tokens import ApiToken
from keju.studio.models.verdicts import Dispute, Finding
from keju.studio.models.work import Assignment, Batch, Response

__all__ = [
    "ApiToken",
    "Asset",
    "Assignment",
    "Batch",
    "Comment",
    "Dispute",
    "Draft",
    "Event",
    "Finding",
    "Item",
    "Job",
    "Membership",
    "ModelMark",
    "ModelRun",
    "Participant",
    "Profile",
    "Project",
    "Release",
    "ReleaseItem",
    "Response",
    "Revision",
    "Role",
    "SignInLink",
    "Source",
    "Term",
]
