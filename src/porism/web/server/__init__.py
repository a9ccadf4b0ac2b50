"""What surrounds every application: limits, headers, failures, connections."""
