#define TWICE(x) (x + x)
#define WIDTH 8
#define WIDTH 9
#include "missing.p4"
#frobnicate
#if WIDTH + == 9
#endif
const bit<8> a = TWICE(1, 2);
#else
#error this is wrong
#ifdef NEVER
" ' not even tokens
#endif
#if 1 / 0
#endif
#ifndef OPEN
