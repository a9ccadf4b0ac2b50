"""The assessment application: judging in the browser, and its administration."""
