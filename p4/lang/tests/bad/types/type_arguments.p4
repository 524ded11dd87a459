struct pair_t<A, B> { A a; B b; }
struct s_t { pair_t<bit<8>> p; } //~ E0406
