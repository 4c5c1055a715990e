"""The course: its lessons, and checks of their exercises."""
