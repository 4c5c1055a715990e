"""Designs, workloads and runs of them: one, several beside each other, and what is found out from their results."""
