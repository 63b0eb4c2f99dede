"""Things that are painted in more than one panel."""
