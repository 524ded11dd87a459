#include "nowhere.p4" //~ E0101
const bit<8> x = 1;
