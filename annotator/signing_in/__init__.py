"""Signing in: throttled, with a second factor for who wants one, by an OpenID provider where one is set."""
