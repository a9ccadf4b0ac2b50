"""Work that needs collections, systems and judgments together: tuning, and the papers' analyses."""
