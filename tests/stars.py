"""The rules of the stars, under the name that most tests know; their page is in `tests.protocols.stars`."""

from tests.protocols.stars.rules import DOMAIN, STARS, Stars, clean, ratings

__all__ = ["DOMAIN", "STARS", "Stars", "clean", "ratings"]
