struct s_t { bit<8> a; bit<8> b; }
const s_t s = {a = 1, c = 2}; //~ E0303
