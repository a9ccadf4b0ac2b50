"""What an index records of its collection, besides its documents, for updates and queries."""
