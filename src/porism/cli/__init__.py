"""The command ``porism``; each sub-command is a file that parses, calls a function and prints."""
