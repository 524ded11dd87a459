struct s_t {
    bit<> a; //~ E0201
    bit<8> b;
}
