"""Random input for every reader, and what must hold of each, for the tests and for long runs.

Each target is a module that has strategies and properties; ``__main__`` takes turns with them.
"""
