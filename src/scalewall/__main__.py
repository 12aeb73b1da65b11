"""``python -m scalewall``: the command line."""

from scalewall.cli import main

if __name__ == "__main__":
    main()
