"""Stack Exchange dumps and the ARQMath distribution: archives, tables and their rows."""
