"""Many runs at once: a grid of them (`sweep`), or a search among them (`search`).

document.py   the file of a sweep, checked
axes.py       values of one key: lists, and ranges with units
grid.py       axes combined into points: products, zipped axes, Latin hypercubes, conditions
tasks.py      points resolved into simulations, each with the hash of what it computes
work.py       one simulation, wherever it is carried out, and the record of its result
store.py      records on disk: whole, checked, and shared among folders
executors.py  where simulations are carried out: local processes; cluster.py: Dask; slurm.py: an array of jobs
run.py        a sweep from its file to its table
table.py      one row a point
"""
