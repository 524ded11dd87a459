const bit<8> x = 1;
struct s_t { x field; } //~ E0304
