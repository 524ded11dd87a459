struct pair_t { bit<8> a; }
header h_t { bit<8> a; }
const bit<8> x = 1;
const pair_t pair = { 1 };
const h_t head = { 1 };
void set(out bit<8> y) { y = 1; }
control c() {
    apply {
        x = 2; //~ E0407
        x += 2; //~ E0407
        x[3:0] = 2; //~ E0407
        pair.a = 2; //~ E0407
        set(x); //~ E0407
        head.setInvalid(); //~ E0407
        set(5); //~ E0407
    }
}
