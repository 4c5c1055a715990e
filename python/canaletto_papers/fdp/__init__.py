"""Caches with and without data placement."""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(__name__, "cache\nlmcache")
