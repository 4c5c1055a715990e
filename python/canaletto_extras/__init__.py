"""Plug-ins: `load`, pages of sweeps, `search` and `calibrate` (Optuna), clusters (Dask), `serve`."""
