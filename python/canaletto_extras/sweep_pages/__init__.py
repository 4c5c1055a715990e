"""Pages of many points: sweeps, and the charts that pages of searches share."""
