"""The command line: arguments in, calls of the package, results on standard output."""
