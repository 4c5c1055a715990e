"""Sweeps beyond one machine, by Dask: executors of `canaletto sweep --on`.

cluster.py  workers of a scheduler that is running; remote.py is what runs there
jobs.py     workers that are jobs of a batch system, by dask-jobqueue
"""
