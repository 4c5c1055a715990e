"""Results made readable: in the terminal, in a notebook, as a page."""
