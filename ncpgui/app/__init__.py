"""The application without a window: what tests, the command line and the window drive."""
