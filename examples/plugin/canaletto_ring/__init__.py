"""A plug-in of canaletto: `pip install` it, then `canaletto run ring-drive --workload hm_0 --fabric Ring`."""
