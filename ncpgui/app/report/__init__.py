"""The report of a session: one file that any browser shows, without a network."""
