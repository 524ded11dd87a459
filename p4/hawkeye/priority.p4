// Priority: the code point of the VLAN tag if there is one, otherwise a table over the DSCP.

control Priority(in headers_t hdr, inout metadata_t meta) {
    action set_priority(bit<3> priority) {
        meta.priority = priority;
    }

    table dscp_priorities {
        key = { meta.dscp : exact @name("dscp"); }
        actions = { set_priority; }
        default_action = set_priority(0);
        size = 64;
    }

    apply {
        if (hdr.vlan.isValid()) {
            meta.priority = hdr.vlan.pcp;
        } else {
            dscp_priorities.apply();
        }
    }
}
