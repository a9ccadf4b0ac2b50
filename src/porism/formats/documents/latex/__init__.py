"""LaTeX files as documents: inputs joined, definitions read, prose and sections as HTML."""
