#include "desk.hh"
