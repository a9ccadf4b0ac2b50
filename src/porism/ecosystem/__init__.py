"""Porism's collections through the interfaces of other projects, each of which is optional."""
