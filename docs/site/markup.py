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


def dotted(name: str) -> str:
    """Name of a field, which may be broken after its dots."""
    return f"<code>{name.replace('.', '.<wbr>')}</code>"
