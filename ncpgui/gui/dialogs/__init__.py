"""Questions to the person, and what is to be said to them."""
