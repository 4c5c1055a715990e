#include "gem5.hh"
