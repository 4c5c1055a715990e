#include "../../sst.h"
