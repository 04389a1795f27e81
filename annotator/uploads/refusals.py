"""Why bytes or files are not taken; every message is shown as it is."""

from __future__ import annotations

from annotator.inputs.refusal import Refusal


class UploadRefused(Refusal):
    """What was asked of an upload is not done; the message says why and what to do."""


class NotOpen(UploadRefused):
    """The upload, or the file, takes nothing more."""


class BadName(UploadRefused):
    """The name is none that a file may have here."""


class TakenName(UploadRefused):
    """Another file of this name is there."""


class TooLarge(UploadRefused):
    """The file has more bytes than a file may have."""


class TooMany(UploadRefused):
    """The upload has as many files as it may have."""


class WrongLength(UploadRefused):
    """More bytes than were announced."""


class BrokenOff(UploadRefused):
    """Fewer bytes arrived than were said to come."""


class OtherOffset(UploadRefused):
    """The file does not end where the bytes begin; `there` is where it ends."""

    def __init__(self, words: str, *, there: int) -> None:
        super().__init__(words)
        self.there = there


class NoRoom(UploadRefused):
    """The server cannot keep the bytes; `full` tells a full disk from a broken one."""

    def __init__(self, words: str, *, full: bool) -> None:
        super().__init__(words)
        self.full = full
