"""High Bandwidth Flash: a public simulator's ceilings and hot spot, and what two vendors say of language models.

No product is for sale yet, so each published number is another model's. Each figure states its set-up.
"""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    media
    hotspot
    h3
    sandisk
    """,
)
