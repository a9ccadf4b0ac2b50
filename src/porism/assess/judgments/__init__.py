"""Judgments: storage, export, qrels, and agreement between assessors."""
