parser p() {
    state start { transition accept; }
    state accept { transition reject; } //~ E0508
}
