"""Assessment with Turkle: export of tasks and template, import of results."""
