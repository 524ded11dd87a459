#include <core.p4>
const bool fine = static_assert(1 > 2, "one is not more"); //~ E0105
