"""The exception that ends the writing of a formula."""


class NotReadable(Exception):
    """A formula cannot be read in one line of text."""
