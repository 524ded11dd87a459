#inclde <core.p4>
//~^ E0102
const bit<8> x = 1;
