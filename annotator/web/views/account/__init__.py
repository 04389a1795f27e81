"""Signing in and out, one’s own account, invitations."""
