"""Administration pages of the assessment."""
