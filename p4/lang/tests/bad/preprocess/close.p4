const bit<8> x = 1;
#endif
//~^ E0103
