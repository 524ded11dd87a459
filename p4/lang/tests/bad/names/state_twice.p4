parser p() {
    state start { transition accept; }
    state start { transition reject; } //~ E0302
}
