"""The window: PyQt5 and pyqtgraph draw what presenters say and send actions."""
