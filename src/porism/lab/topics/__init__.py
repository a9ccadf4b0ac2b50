"""New topics drawn from a collection: criteria, samples, and their files."""
