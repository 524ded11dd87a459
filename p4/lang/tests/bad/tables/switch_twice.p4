control c(in bit<8> x, out bit<8> y) {
    apply {
        y = 0;
        switch (x) {
            1: { y = 1; }
            1: { y = 2; } //~ E0507
        }
    }
}
