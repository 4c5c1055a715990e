"""Texts of the package as Markdown."""


def code(text: str) -> str:
    return f"`{' '.join(text.split())}`"


def prose(text: str) -> str:
    words = " ".join(text.split()).replace("<", "&lt;")
    return words.replace("*", "\\*").replace("[", "\\[")


def cell(text: str) -> str:
    return prose(text).replace("|", "\\|")


def dotted(name: str) -> str:
    return f"<code>{name.replace('.', '.<wbr>')}</code>"
