struct s_t {
    bit<8> a;
    bit<16> a; //~ E0302
}
