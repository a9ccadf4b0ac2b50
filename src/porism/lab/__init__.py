"""Tools that need collections, systems and judgments together: tuning, and analyses of papers."""
