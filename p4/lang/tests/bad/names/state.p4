parser p() {
    state start { transition next; } //~ E0508
}
