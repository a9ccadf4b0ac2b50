"""The pages of the search application."""
