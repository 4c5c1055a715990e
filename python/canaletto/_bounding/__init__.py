"""What a drive can do at most, in closed form: `canaletto bound`."""
