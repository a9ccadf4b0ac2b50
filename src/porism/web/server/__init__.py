"""The parts of every application: limits, headers, error responses, connections."""
