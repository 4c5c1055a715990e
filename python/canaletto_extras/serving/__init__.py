"""A drive that real programs use: `canaletto serve`."""
