header h_t { //~ E0201
    bit<8> a;
struct s_t { h_t h; }
