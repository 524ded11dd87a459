#define FOUR(x) ((((x))))
#define MANY(x) FOUR(FOUR(FOUR(FOUR(x))))
const bit<8> x = MANY(MANY(MANY(MANY(MANY(MANY(MANY(MANY(1)))))))); //~ E0004 E0201
