"""The open project and what is shown of it: state and its changes."""
