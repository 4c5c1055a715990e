"""Commands beside the main ones, as plug-ins: `search` and `calibrate` (Optuna), clusters (Dask), `serve`."""
