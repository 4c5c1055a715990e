"""Commands and executors that need further packages: searches and calibrations (Optuna), clusters (Dask)."""
