"""Texts of the package as Markdown."""


def code(text: str) -> str:
    """Text as it is typed, in a table."""
    return f"`{' '.join(text.split())}`"


def prose(text: str) -> str:
    """Paragraph of a description, whose lines are broken anywhere."""
    words = " ".join(text.split()).replace("<", "&lt;")
    return words.replace("*", "\\*").replace("[", "\\[")


def cell(text: str) -> str:
    """Text in a table."""
    return prose(text).replace("|", "\\|")
