#!/usr/bin/env bash
# Packets per second of `harrier p4 run`: a small router with one route, 10,000 packets of 64 bytes, 200 repetitions.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build --release --locked -p harrier-cli
python3 - "$work/in.pcap" <<'PYTHON'
import struct, sys

def packet(number):
    fields = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 50, number & 0xFFFF, 0, 64, 17, 0,
                         bytes([10, 0, 0, 1]), bytes([10, 0, 1, 1 + number % 200]))
    total = sum(struct.unpack(">10H", fields))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    header = fields[:10] + struct.pack(">H", 0xFFFF - total) + fields[12:]
    return (bytes(12) + b"\x08\x00" + header).ljust(64, b"\0")

with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for number in range(10_000):
        out.write(struct.pack("<IIII", 0, number, 64, 64) + packet(number))
PYTHON
echo 'add routes hdr.ipv4.destination:0x0a000100/24 forward(next_hop:0x020000000001, port:1)' >"$work/routes.stf"
"${CARGO_TARGET_DIR:-target}/release/harrier" p4 run p4/switch/tests/programs/router.p4 --entries "$work/routes.stf" \
    --in "0@$work/in.pcap" --out "1@$work/out.pcap" --repeat 200 --json
