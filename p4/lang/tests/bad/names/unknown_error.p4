#include <core.p4>
const error e = error.PacketToShort; //~ E0303
