"""The key of a prompt in queries and indexes.

Prompts have up to 3,000 characters, but PostgreSQL refuses index rows of more than 2,704 bytes.
"""

from __future__ import annotations

from typing import Any, Final

from django.db.models import CharField, F, Q, Transform

from scoring.prompts import KEY_BEGINNING, LONGEST_KEY, prompt_key


class PromptKey(Transform):
    """The key of a prompt in a query, `prompt__key`, as `scoring.prompts` computes it.

    It has literals only, because a planner uses an index on an expression for exactly the same expression.
    """

    lookup_name = "key"
    output_field = CharField()
    template = (
        f"(CASE WHEN LENGTH(%(expressions)s) <= {LONGEST_KEY} THEN %(expressions)s "
        f"ELSE SUBSTR(%(expressions)s, 1, {KEY_BEGINNING}) || MD5(%(expressions)s) END)"
    )


CharField.register_lookup(PromptKey)
KEY: Final = PromptKey(F("prompt"))
"""The key of the prompt in a row, for indexes."""


def of_prompt(prompt: Any, prefix: str = "") -> Q:
    """Return the condition for a prompt, given as text, as its key, or as an expression of its key."""
    return Q((f"{prefix}prompt__key", prompt_key(prompt) if isinstance(prompt, str) else prompt))
