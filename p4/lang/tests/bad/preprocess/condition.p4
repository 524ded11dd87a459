#if (1 + //~ E0104
const bit<8> x = 1;
#endif
