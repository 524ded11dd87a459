header h_t { bit<8> a; }
header_union u_t { h_t h; bit<8> a; } //~ E0409
