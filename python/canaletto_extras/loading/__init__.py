"""Latency against throughput of any design under any workload, from idle to saturated.

curves.py    the runs of `canaletto load` and the points that they give
page.py      its page, tables and verdict
command.py   the command
"""
