"""The registry of protocols: the product's own, and the rating forms that projects have stored."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeVar

from scoring.anatomy.protocol import ANATOMY
from scoring.defect.protocol import DEFECT
from scoring.presence.protocol import PRESENCE
from scoring.protocol import PREFIX, Protocol
from scoring.realism.protocol import REALISM

Value = TypeVar("Value")
Loader = Callable[[str], Protocol | None]
_loaders: list[Loader] = []


def load_forms_with(loader: Loader) -> None:
    """Set the function that returns the protocol of a stored rating form by its slug; None if unknown."""
    _loaders[:] = [loader]


# A slug digests its definition, so what was loaded once stays true.
@lru_cache(maxsize=256)
def _loaded(slug: str) -> Protocol:
    for loader in _loaders:
        if (form := loader(slug)) is not None:
            return form
    raise KeyError(slug)


class Registry(Mapping[str, Value]):
    """Values by protocol: iterates over the product's own, and finds those of rating forms, too.

    `of_form` returns the value of a form by its slug; raises KeyError if it is unknown.
    """

    def __init__(self, own: Mapping[str, Value], of_form: Callable[[str], Value]) -> None:
        self._own = own
        self._of_form = of_form

    def __getitem__(self, slug: str) -> Value:
        if slug not in self._own and isinstance(slug, str) and slug.startswith(PREFIX):
            return self._of_form(slug)
        return self._own[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


def registry(*protocols: Protocol) -> Mapping[str, Protocol]:
    """Return a read-only mapping of protocols by slug; raises ValueError for a repeated slug."""
    by_slug: dict[str, Protocol] = {}
    for protocol in protocols:
        if by_slug.setdefault(protocol.slug, protocol) is not protocol:
            raise ValueError(f"two protocols have the slug {protocol.slug!r}")
    return Registry(by_slug, _loaded)


PROTOCOLS: Final = registry(ANATOMY, PRESENCE, REALISM, *DEFECT)


def counting_people() -> list[str]:
    """Return the slugs of the protocols under which annotators count the people of an image."""
    return [slug for slug, protocol in PROTOCOLS.items() if "people" in protocol.empty()]


class UnknownProtocol(KeyError):
    """No protocol has this slug."""

    def __str__(self) -> str:
        return f"there is no protocol {self.args[0]!r}; known: {', '.join(sorted(PROTOCOLS))}"


def unknown_in_words(error: UnknownProtocol) -> str:
    """Return what an unknown protocol means for people: what is missing, and what to do."""
    return (
        f"This server does not know the protocol “{error.args[0]}”. Ask its administrator to install a "
        "version of Anatomark that does."
    )


def get_protocol(slug: str) -> Protocol:
    """Return the protocol with this slug. Raises UnknownProtocol."""
    try:
        return PROTOCOLS[slug]
    except KeyError:
        raise UnknownProtocol(slug) from None
