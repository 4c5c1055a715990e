"""Closed forms of what a drive can do at most: `canaletto bound`."""
