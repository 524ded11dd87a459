#if 1
const bit<8> x = 1;
#else
#else
//~^ E0103
#endif
