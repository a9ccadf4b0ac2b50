"""The assessment application: candidates judged in the browser, and what is decided about it."""
