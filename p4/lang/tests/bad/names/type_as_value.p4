struct s_t { bit<8> a; }
const bit<8> x = s_t; //~ E0305
