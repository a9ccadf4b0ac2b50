"""Fuzzing: random input for every reader, and the properties that must hold.

Each target is a module with strategies and properties; ``__main__`` runs them in turn.
"""
