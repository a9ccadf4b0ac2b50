"""Query execution: query plans, filters, and the search for the top k."""
