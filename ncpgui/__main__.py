"""``python -m ncpgui`` is the command ``ncpgui``."""

from ncpgui.cli.main import main

if __name__ == "__main__":
    main()
