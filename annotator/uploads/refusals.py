"""Refusals of files and of changes to an upload; their messages are shown to users."""

from __future__ import annotations

from annotator.inputs.refusal import Refusal


class UploadRefused(Refusal):
    """A refused request; the message names the cause and the repair, `code` says what a client does about it.

    `bad_name`, `taken` and `too_large` concern one file; `broken_off` and `busy` pass when it is sent again;
    `closed`, `no_room` and `too_many` stop all files. Others are codes of pages.
    """
