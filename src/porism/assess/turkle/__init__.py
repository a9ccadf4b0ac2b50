"""Assessment with Turkle: tasks and template out, results back in."""
