control c(inout bit<8> x) {
    apply {
        x = 1
        x = 2; //~ E0201
    }
}
