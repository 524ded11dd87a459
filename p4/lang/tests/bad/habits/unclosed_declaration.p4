header first_t { //~ E0201
    bit<8> a;

struct second_t {
    first_t first;
}
control c(inout second_t x) {
    apply { //~ E0201
        if (x.first.a == 1) {
            x.first.a = 2;
        }
