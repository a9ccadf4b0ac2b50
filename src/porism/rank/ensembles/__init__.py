"""Systems that fuse the rankings of several others."""
