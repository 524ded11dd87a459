#if 1 / 0
//~^ E0104
#endif
