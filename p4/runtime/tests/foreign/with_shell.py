"""Drives a P4Runtime server with p4runtime-shell. The arguments are its port, the P4Info and the P4 file.

Each write has one update: version 0.0.6 does not return from a failed write that also has successful updates.
"""

import sys

import p4runtime_sh.shell as sh
from p4runtime_sh.p4runtime import P4RuntimeWriteException

PORT, P4INFO, PROGRAM = sys.argv[1:4]


def tables() -> None:
    entry = sh.TableEntry("MacIngress.macs")(action="forward")
    entry.match["hdr.ethernet.dst"] = "00:00:00:00:00:01"
    entry.action["port"] = "3"
    entry.insert()
    try:
        entry.insert()
    except P4RuntimeWriteException as error:
        assert "ALREADY_EXISTS" in str(error), error
    else:
        raise AssertionError("the second insert must fail")
    entry.action["port"] = "4"
    entry.modify()
    found = list(sh.TableEntry("MacIngress.macs").read())
    assert len(found) == 1 and "port" in str(found[0]), str(found[0])
    route = sh.TableEntry("MacIngress.routes")(action="drop")
    route.match["hdr.ethernet.src"] = "00:00:0a:00:00:00/24"
    route.insert()
    rule = sh.TableEntry("MacIngress.acl")(action="drop")
    rule.match["hdr.ethernet.src"] = "1&&&1"
    rule.match["hdr.ethernet.type"] = "1..2"
    rule.priority = 5
    rule.insert()
    for written in (entry, route, rule):
        written.delete()
    assert not list(sh.TableEntry("MacIngress.macs").read())
    print("tables: ok")


def counters() -> None:
    counter = sh.CounterEntry("MacIngress.received")
    counter.index = 2
    counter.packet_count = 5
    counter.modify()
    counter = sh.CounterEntry("MacIngress.received")
    counter.index = 2
    values = [value.packet_count for value in counter.read()]
    assert values == [5], values
    print("counters: ok")


def replication() -> None:
    group = sh.MulticastGroupEntry(1)
    group.add(1, 1).add(2, 2)
    group.insert()
    session = sh.CloneSessionEntry(100)
    session.add(510, 1)
    session.insert()
    [found] = list(sh.MulticastGroupEntry(1).read())
    assert str(found).count("replicas") == 2, str(found)
    group.delete()
    session.delete()
    print("multicast and clone: ok")


def frame(dst: int, src: int) -> bytes:
    return dst.to_bytes(6, "big") + src.to_bytes(6, "big") + b"\x08\x00" + bytes(46)


def stream() -> None:
    """Ports 1 and 2 are connected: a frame that leaves at one arrives at the other."""
    punt = sh.TableEntry("MacIngress.macs")(action="punt")
    punt.match["hdr.ethernet.dst"] = "00:00:00:00:00:02"
    punt.insert()
    packets = sh.PacketIn()
    sh.PacketOut(frame(2, 7), egress_port="1", pad="0").send()
    packet = packets.packet_in_queue.get(timeout=10).packet
    assert packet.payload == frame(2, 7), packet
    assert packet.metadata[0].value == b"\x02", packet
    print("packets: ok")
    digest = sh.DigestEntry("learn_t")
    digest.max_list_size = 1
    digest.ack_timeout_ns = 1_000_000_000
    digest.insert()
    lists = sh.DigestList()
    sh.PacketOut(frame(200, 42), egress_port="1", pad="0").send()
    heard = lists.digest_list_queue.get(timeout=10).digest
    assert [member.bitstring for member in heard.data[0].struct.members] == [b"\x2a", b"\x02"], heard
    digest.delete()
    punt.delete()
    print("digests: ok")


def delete_all() -> None:
    for dst in range(1, 20):
        entry = sh.TableEntry("MacIngress.macs")(action="drop")
        entry.match["hdr.ethernet.dst"] = str(dst)
        entry.insert()
    assert len(list(sh.TableEntry("MacIngress.macs").read())) == 19
    for table in ("MacIngress.macs", "MacIngress.routes", "MacIngress.acl"):
        sh.TableEntry(table).read(lambda entry: entry.delete())
        assert not list(sh.TableEntry(table).read()), table
    print("delete all: ok")


sh.setup(
    device_id=1,
    grpc_addr=f"localhost:{PORT}",
    election_id=(0, 1000),
    config=sh.FwdPipeConfig(P4INFO, PROGRAM),
    verbose=False,
)
try:
    print("connect, primary, pipeline: ok")
    tables()
    counters()
    replication()
    stream()
    delete_all()
finally:
    sh.teardown()
