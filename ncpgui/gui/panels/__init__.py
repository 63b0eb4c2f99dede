"""One panel a file, named as its presenter."""
