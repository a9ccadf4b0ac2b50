"""The web application: search pages, the run explorer, and the REST interface."""
