"""Pages for those who administer an assessment."""
