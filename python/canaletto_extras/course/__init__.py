"""Checks of the exercises in docs/course/."""
