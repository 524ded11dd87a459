enum bit<2> kind_t { A = 1, B = 4 } //~ E0411
