"""What each panel shows, as frozen values: arrays, colours and words, no Qt."""
