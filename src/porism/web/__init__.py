"""The web application: pages to search and look with, and the same for programs."""
