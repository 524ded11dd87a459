#include <core.p4>
control Block();
package V1Switch(Block block);
control Nothing() { apply { } }
V1Switch(Nothing()) main; //~ E0602
