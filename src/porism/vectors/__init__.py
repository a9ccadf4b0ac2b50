"""Vectors on disk, and the nearest of them.

A vector is known by the hash of the text that it was made of, so equal texts share one, and an
unchanged text keeps its vector. ``store`` has the files, ``clusters`` the order of rows by which a
search reads few of them, and ``codes`` the vectors as bytes.
"""
