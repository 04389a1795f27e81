"""Norming sessions: blind answers, their discussion, agreed values, and a second round."""
