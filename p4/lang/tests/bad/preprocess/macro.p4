#define 8BITS bit<8>
//~^ E0102
