parser p() {
    state start {
        exit; //~ E0501
        transition accept;
    }
}
