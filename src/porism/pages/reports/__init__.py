"""Reports of evaluations and assessments: one HTML file each, with tables and plots."""
