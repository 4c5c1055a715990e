"""Texts of the package as Markdown."""


def cell(text: str) -> str:
    """Text of one line in a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")


def prose(text: str) -> str:
    """Paragraph of a description, whose lines are broken anywhere."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")
