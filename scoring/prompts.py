"""Prompts of up to 3,000 characters, and the shorter key by which they are indexed, compared and linked.

The key of a long prompt is its beginning and the MD5 of the whole; a prompt of up to 400 characters is its
own key, which keeps the order of prompts. An MD5 tells prompts apart; nothing is secured by it.
"""

from __future__ import annotations

import hashlib
from typing import Final

LONGEST_PROMPT: Final = 3000
LONGEST_KEY: Final = 400
KEY_BEGINNING: Final = LONGEST_KEY - 32
"""Characters of a long prompt in its key; the hexadecimal digits of an MD5 follow."""


def prompt_key(prompt: str) -> str:
    """Return the key of a prompt, at most LONGEST_KEY characters; a key is its own key."""
    if len(prompt) <= LONGEST_KEY:
        return prompt
    return prompt[:KEY_BEGINNING] + hashlib.md5(prompt.encode(), usedforsecurity=False).hexdigest()
