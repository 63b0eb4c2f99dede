"""Questions to the person: what to open and how, where to export, and the key page."""
