parser p() { //~ E0508
    state begin { transition accept; }
}
