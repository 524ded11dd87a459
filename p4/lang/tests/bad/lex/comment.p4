const bit<8> x = 1;
/* what follows is lost //~ E0002
const bit<8> y = 2;
