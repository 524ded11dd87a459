#ifdef SOMETHING //~ E0103
const bit<8> x = 1;
