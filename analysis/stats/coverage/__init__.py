"""Simulated studies whose true values are known: how often do the intervals contain them?"""
