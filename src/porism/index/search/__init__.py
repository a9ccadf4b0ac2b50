"""Query execution: a query planned, its postings scored, the top k found."""
