"""The sample notes that ship with Porism: an Obsidian vault with a short paper in LaTeX.

They are written for Porism, and use each kind of markup that notes may have.
"""

from pathlib import Path


def sample_notes() -> Path:
    """The folder of the notes, for an ingest."""
    return Path(__file__).parent / "notes"
