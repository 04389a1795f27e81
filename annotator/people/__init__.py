"""Who takes part in a project: members, roles, codes, invitations, tokens, and what each may see."""
