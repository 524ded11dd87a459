#ifndef WIDTH
#error WIDTH has to be set
//~^ E0105
#endif
