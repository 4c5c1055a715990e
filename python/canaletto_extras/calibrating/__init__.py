"""Calibration of a design from measurements of a drive: read, halved, fitted, and judged by the half that was kept."""
