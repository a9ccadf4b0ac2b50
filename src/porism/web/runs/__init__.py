"""The run explorer: scores of runs, and their hits side by side."""
