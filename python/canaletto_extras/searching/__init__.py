"""A search among configurations for the best ones, by Optuna.

measures.py   objectives and constraints: results, and what is known of a design without a run
document.py   the file of a search, checked
space.py      the keys to choose, as Optuna has them
found.py      a search that was carried out: `cn.Search`; page.py and terminal.py show it
search.py     a search from its file to its designs: `cn.search`
table.py      one row a point that was tried
repeats.py    the best points with further seeds
study.py      trials: asked of Optuna, carried out as points of a sweep, told to Optuna
"""
