"""Many runs at once: a grid of them (`sweep`).

document.py   the file of a sweep, checked
axes.py       values of one key: lists, and ranges with units
grid.py       axes combined into points: products, zipped axes, Latin hypercubes, conditions
tasks.py      points resolved into simulations, each with the hash of what it computes
work.py       one simulation, wherever it is carried out, and the record of its result
store.py      records on disk: whole, checked, and shared among folders
executors.py  where simulations are carried out: local processes (worker.py)
slurm.py      the same as an array of jobs, each of which takes a part (shard.py)
estimate.py   the cost of a sweep before it is carried out
folder.py     the folder of a sweep or a search
points.py     the points of a folder
run.py        simulations carried out, as far as they have not been before
sweep.py      a sweep from its file to its table: `cn.sweep`
table.py      one row a point
"""
