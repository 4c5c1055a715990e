"""Designs, workloads and runs of them: one, several next to each other, and what is found out from their results."""
