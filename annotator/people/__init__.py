"""A project's people: members, roles, codes, invitations, tokens and access rights."""
