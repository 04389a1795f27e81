"""Refusals of bytes and files; their messages are shown to users."""

from __future__ import annotations

from annotator.inputs.refusal import Refusal


class UploadRefused(Refusal):
    """A refused request; the message names the cause and the repair."""


class UploadClosed(UploadRefused):
    """The upload, or the file, is closed."""


class BadName(UploadRefused):
    """The file name is not allowed."""


class TakenName(UploadRefused):
    """Another file has this name."""


class FileTooLarge(UploadRefused):
    """The file exceeds the limit of bytes."""


class TooMany(UploadRefused):
    """The upload has reached the limit of files."""


class WrongLength(UploadRefused):
    """More bytes than were announced."""


class BrokenOff(UploadRefused):
    """Fewer bytes arrived than announced."""


class OtherOffset(UploadRefused):
    """The offset is not the end of the file; `there` is its end."""

    def __init__(self, words: str, *, there: int) -> None:
        super().__init__(words)
        self.there = there


class NoRoom(UploadRefused):
    """The server cannot store the bytes; `full` tells a full disk from a broken one."""

    def __init__(self, words: str, *, full: bool) -> None:
        super().__init__(words)
        self.full = full
