"""Judgments: stored, exported, turned into qrels, and how far assessors agree."""
