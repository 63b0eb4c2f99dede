"""A person's edits of a sorting: no Qt, no torch."""
