"""Single sign-on with an OpenID provider, for accounts linked to an identity there.

Accounts are never matched by email address or name, which users of the provider may choose themselves. Only
the identity's `sub` is stored.
"""

from __future__ import annotations

import time
from typing import Any, Final, NoReturn

import jwt
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.shortcuts import redirect
from django.urls import reverse

from annotator.people.site_address import absolute
from annotator.signing_in import newcomers
from annotator.signing_in.provider_requests import ProviderSession

CALLBACK: Final = "single_sign_on_callback"
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
_CLOCK_SECONDS: Final = 60
_KEPT_SECONDS: Final = 10 * 60
_LONGEST_SUB: Final = SocialAccount._meta.get_field("uid").max_length or 0
_discovered: dict[str, tuple[float, dict[str, Any]]] = {}
"""Issuer → when its configuration was read, and the configuration; of this process."""


class CheckedAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # no types there
    """Accept identities only from a signed id_token of the configured issuer."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's configuration, at most ten minutes old.

        Raises OAuth2Error if it is none or names another issuer.
        """
        issuer = configured().issuer
        read_at, found = _discovered.get(issuer, (0.0, {}))
        if not found or time.monotonic() > read_at + _KEPT_SECONDS:
            found = super().openid_config
            if not isinstance(found, dict) or found.get("issuer") != issuer:
                raise OAuth2Error("The provider names another issuer than OIDC_ISSUER.")
            _discovered[issuer] = time.monotonic(), found
        return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address to which the provider redirects users."""
        return absolute(request, reverse(CALLBACK))

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        try:
            decoded: dict[str, Any] = jwt.decode(
                id_token,
                key=self._signing_key(id_token),
                algorithms=_ALGORITHMS,
                audience=app.client_id,
                issuer=configured().issuer,
                leeway=_CLOCK_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise OAuth2Error("The id_token is invalid.") from error
        if not (0 < len(decoded["sub"]) <= _LONGEST_SUB and decoded["sub"].isprintable()):
            raise OAuth2Error(f"The id_token's sub is not printable text of up to {_LONGEST_SUB} characters.")
        if decoded.get("azp", app.client_id) != app.client_id:
            raise OAuth2Error("The id_token is for another site.")
        return decoded

    def _signing_key(self, id_token: str) -> jwt.PyJWK:
        wanted = jwt.get_unverified_header(id_token).get("kid")
        with get_adapter().get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        keys = [
            key
            for key in jwt.PyJWKSet.from_dict(answer.json()).keys
            if key.public_key_use in (None, "sig") and (wanted is None or key.key_id == wanted)
        ]
        if len(keys) != 1:
            raise jwt.InvalidKeyError("The id_token is signed with a key that the provider does not name.")
        return keys[0]


class LinkedProvider(OpenIDConnectProvider):  # type: ignore[misc]  # no types there
    """Request minimal data, and store less."""

    oauth2_adapter_class = CheckedAdapter
    pkce_enabled_default = True

    def get_default_scope(self) -> list[str]:
        """Request the identity and a name to suggest."""
        return ["openid", "profile"]

    def get_auth_params_from_request(self, request: HttpRequest, action: str) -> dict[str, Any]:
        """Ignore parameters of the address, which an attacker may have chosen."""
        return dict(self.get_auth_params())

    def get_scope_from_request(self, request: HttpRequest) -> list[str]:
        """Ignore the scope in the address, too."""
        return list(self.get_scope())

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Store no extra data."""
        return {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        """Ignore email addresses."""
        return []

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return a user name to suggest to a new user."""
        return {"username": str(data.get("id_token", {}).get("preferred_username") or "")[:150]}


class LinkedAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # no types there
    """Use the provider configured in the environment; database rows configure nothing."""

    def get_requests_session(self) -> ProviderSession:
        """Return a session with limits, for every request to the provider."""
        return ProviderSession()

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[Any]:
        """Return the provider, if configured."""
        app = _app()
        return [app] if app else []

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> LinkedProvider:
        """Return the provider. Raises Http404 if none is configured."""
        app = _app()
        if app is None:
            raise Http404
        return LinkedProvider(request, app=app)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return False: accounts are created by invitation."""
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Admit an identity without a linked account only with an open invitation."""
        if sociallogin.is_existing or sociallogin.state.get("process") == "connect":
            return
        if newcomers.is_invited(request):
            found = sociallogin.account
            name = sociallogin.user.username if sociallogin.user else ""
            newcomers.remember(request, newcomers.Newcomer(found.provider, found.uid, name))
            raise ImmediateHttpResponse(redirect("invitation_accept"))
        self._refuse(
            request,
            "not-linked",
            f"No account here is linked to that {configured().name} identity. Sign in with your "
            "password and link it under Settings, Your account, or open your invitation to join with it.",
        )

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: LinkedProvider,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Show a general message on the page where it began: users cannot fix the cause."""
        self._refuse(request, "no-sign-in", no_sign_in())

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:
        """Return the address to open after linking."""
        return reverse("account")

    def _refuse(self, request: HttpRequest, code: str, words: str) -> NoReturn:
        messages.error(request, words, code)
        raise ImmediateHttpResponse(redirect("account" if request.user.is_authenticated else "login"))


def configured() -> Any:
    """Return the configured provider. Raises Http404 if there is none."""
    if settings.SINGLE_SIGN_ON is None:
        raise Http404
    return settings.SINGLE_SIGN_ON


def no_sign_in() -> str:
    """Return the message for a failed sign-in."""
    return f"Signing in with {configured().name} failed. Try again, or sign in with your password."


def _app() -> SocialApp | None:
    wanted = settings.SINGLE_SIGN_ON
    if wanted is None:
        return None
    return SocialApp(
        provider="openid_connect",
        provider_id=wanted.key,
        name=wanted.name,
        client_id=wanted.client_id,
        secret=wanted.client_secret,
        settings={
            "server_url": wanted.issuer.rstrip("/"),
            "fetch_userinfo": False,
            "oauth_pkce_enabled": True,
        },
    )
