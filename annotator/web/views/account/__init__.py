"""Sign-in, sign-out, the user's own account, and invitations."""
