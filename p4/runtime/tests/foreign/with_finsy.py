"""Drives a P4Runtime server with finsy. The arguments are its port, the P4Info and the P4 file."""

import asyncio
import sys
from pathlib import Path

import finsy as fy

PORT, P4INFO, PROGRAM = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
OPTIONS = fy.SwitchOptions(p4info=P4INFO, p4blob=PROGRAM, device_id=1)


def frame(dst: int, src: int) -> bytes:
    return dst.to_bytes(6, "big") + src.to_bytes(6, "big") + b"\x08\x00" + bytes(46)


def key(dst: int) -> fy.P4TableMatch:
    return fy.P4TableMatch({"hdr.ethernet.dst": dst})


def entry(dst: int, action=None, **more) -> fy.P4TableEntry:
    return fy.P4TableEntry("macs", match=key(dst), action=action, **more)


async def tables(switch: fy.Switch) -> None:
    forward = fy.P4TableAction("forward", port=3)
    await switch.write([+entry(1, forward), +entry(2, fy.P4TableAction("punt"))])
    found = [e async for e in switch.read(fy.P4TableEntry("macs"))]
    assert len(found) == 2, found
    await switch.modify([entry(1, fy.P4TableAction("forward", port=5))])
    [changed] = [e async for e in switch.read(fy.P4TableEntry("macs", match=key(1)))]
    assert changed.action.args["port"] == 5, changed
    route = fy.P4TableMatch({"hdr.ethernet.src": "00:00:0a:00:00:00/24"})
    await switch.insert([fy.P4TableEntry("routes", match=route, action=fy.P4TableAction("drop"))])
    rule = fy.P4TableMatch({"hdr.ethernet.src": "00:00:00:00:00:01/&00:00:00:00:00:ff", "hdr.ethernet.type": "1...2"})
    await switch.insert([fy.P4TableEntry("acl", match=rule, priority=7, action=fy.P4TableAction("drop"))])
    [acl] = [e async for e in switch.read(fy.P4TableEntry("acl"))]
    assert acl.priority == 7, acl
    default = fy.P4TableEntry("macs", is_default_action=True, action=fy.P4TableAction("drop"))
    await switch.modify([default])
    await switch.modify([fy.P4TableEntry("macs", is_default_action=True)])
    print("tables: ok")


async def failures(switch: fy.Switch) -> None:
    try:
        await switch.write([+entry(1, fy.P4TableAction("drop")), +entry(9, fy.P4TableAction("drop")), -entry(77)])
    except fy.P4ClientError as error:
        codes = {index: detail.canonical_code for index, detail in error.details.items()}
        assert codes == {0: fy.GRPCStatusCode.ALREADY_EXISTS, 2: fy.GRPCStatusCode.NOT_FOUND}, codes
    else:
        raise AssertionError("two updates must fail")
    assert [e async for e in switch.read(entry(9))], "the second update was applied"
    print("partial failures: ok")


async def arrays(switch: fy.Switch) -> None:
    await switch.modify([fy.P4RegisterEntry("last_type", index=3, data=0xBEEF)])
    [one] = [e async for e in switch.read(fy.P4RegisterEntry("last_type", index=3))]
    assert one.data == 0xBEEF, one
    assert len([e async for e in switch.read(fy.P4RegisterEntry("last_type"))]) == 16
    counter = fy.P4CounterEntry("received", index=2, data=fy.P4CounterData(packet_count=5))
    await switch.modify([counter])
    [one] = [e async for e in switch.read(fy.P4CounterEntry("received", index=2))]
    assert one.packet_count == 5, one
    hits = fy.P4DirectCounterEntry("hits", table_entry=entry(1))
    [one] = [e async for e in switch.read(hits)]
    assert one.packet_count == 0, one
    print("registers and counters: ok")


async def replication(switch: fy.Switch) -> None:
    await switch.write([+fy.P4MulticastGroupEntry(1, replicas=[1, 2, 3])])
    await switch.write([+fy.P4CloneSessionEntry(100, replicas=[510], class_of_service=2)])
    [group] = [e async for e in switch.read(fy.P4MulticastGroupEntry(1))]
    assert len(group.replicas) == 3, group
    print("multicast and clone: ok")


async def stream(switch: fy.Switch) -> None:
    """Ports 1 and 2 are connected: a frame that leaves at one arrives at the other."""
    async with asyncio.timeout(10):
        packets = switch.read_packets()
        waiting = asyncio.ensure_future(anext(packets))
        await asyncio.sleep(0)
        await switch.write([fy.P4PacketOut(frame(2, 7), egress_port=1, pad=0)])
        packet = await waiting
        assert packet["ingress_port"] == 2 and packet.payload == frame(2, 7), packet
        print("packets: ok")
        digests = switch.read_digests("learn_t")
        waiting = asyncio.ensure_future(anext(digests))
        await asyncio.sleep(0)
        await switch.write([+fy.P4DigestEntry("learn_t", max_list_size=1, ack_timeout_ns=int(1e9))])
        await switch.write([fy.P4PacketOut(frame(200, 42), egress_port=1, pad=0)])
        digest = await waiting
        assert digest.data[0] == {"src": 42, "port": 2}, digest
        await switch.write([digest.ack()])
        await switch.delete([fy.P4DigestEntry("learn_t")])
        print("digests: ok")


async def first(switch: fy.Switch) -> None:
    await switch.delete_all()
    await tables(switch)
    await failures(switch)
    await arrays(switch)
    await replication(switch)
    await stream(switch)
    await switch.delete_all()
    left = [e async for e in switch.read(fy.P4TableEntry())]
    assert not left, left
    print("delete all: ok")


async def main() -> None:
    async with fy.Switch("one", f"127.0.0.1:{PORT}", OPTIONS(initial_election_id=10)) as one:
        assert one.is_primary
        print("connect, primary, pipeline: ok")
        await first(one)
        async with fy.Switch("two", f"127.0.0.1:{PORT}", OPTIONS(initial_election_id=one.election_id + 10)) as two:
            assert two.is_primary
            async with asyncio.timeout(5):
                while one.is_primary:
                    await asyncio.sleep(0.01)
            await two.insert([entry(5, fy.P4TableAction("drop"))])
            try:
                await one.insert([entry(6, fy.P4TableAction("drop"))])
            except fy.P4ClientError as error:
                assert error.code == fy.GRPCStatusCode.PERMISSION_DENIED, error
            else:
                raise AssertionError("the old primary must not write")
            print("take-over: ok")


asyncio.run(main())
