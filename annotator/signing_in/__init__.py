"""Sign-in: throttling, an optional second factor, and single sign-on with an OpenID provider."""
