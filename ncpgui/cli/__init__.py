"""The command line: one file a command; what is heavy is imported inside the commands."""
