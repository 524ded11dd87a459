#include nothing.p4
//~^ E0102
