"""``python -m porism`` is the command ``porism``."""

from porism.cli.main import main

if __name__ == "__main__":
    main()
