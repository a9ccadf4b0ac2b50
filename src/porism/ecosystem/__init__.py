"""Porism's collections through the interfaces of other projects, all optional."""
