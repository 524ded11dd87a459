#!/bin/sh
# Compares kinds of sockets that move frames between two interfaces: frames a second, loss, processor time, delay, and
# what passes unharmed. `net/examples/forward` forwards over veth pairs in network namespaces of their own, which
# disappear with the script. Needs root; ping and iperf3 for the second part.
#
#   scripts/bench-sockets.sh [ROUNDS [SECONDS [KIND...]]]
#
# Each round measures every kind once; the tables have the medians of the rounds. It builds in the release profile unless
# PROFILE=dev is set. Sender, forwarder and receiver share the machine.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
seconds=${2:-3}
if [ $# -gt 2 ]; then
    shift 2
    kinds=$*
else
    kinds="packet packet-bypass tpacket-v2 tpacket-v3 tpacket-v3-tx xdp-generic xdp-native xdp-generic-move xdp-native-move"
fi
profile=${PROFILE:-release}
folder=$profile
[ "$profile" = dev ] && folder=debug
cargo build --quiet --profile "$profile" -p harrier-net --example throughput --example forward
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export rounds seconds kinds folder results
# shellcheck disable=SC2016 # The inner shell expands.
unshare --net sh -eu -c '
    examples=target/$folder/examples
    tick_ns=$((1000000000 / $(getconf CLK_TCK)))
    ip link set lo up
    for n in 1 2; do
        ip link add h$n mtu 9216 type veth peer name p$n mtu 9216
        for name in h$n p$n; do
            ip link set $name addrgenmode none
            ip link set $name up
        done
    done
    forwarder=
    far=
    trap "kill \$forwarder \$far 2>/dev/null || true" EXIT
    sleep 1

    start() {
        $examples/forward "$1" p1 p2 >"$results/forward" &
        forwarder=$!
        sleep 0.5
    }
    stop() {
        kill $forwarder
        wait $forwarder
        forwarder=
    }
    # Processor time in ticks: of the programs that have ended, and of the threads that take over interrupt work.
    ticks() {
        awk "{ print \$16 + \$17 }" /proc/$$/stat
    }
    interrupt_ticks() {
        cat /proc/[0-9]*/stat 2>/dev/null | awk "/\(ksoftirqd/ { sum += \$14 + \$15 } END { print sum + 0 }"
    }
    # Appends KIND,CASE,RECEIVED,LOSS,FORWARDER_NS,TOTAL_NS.
    measure() {
        kind=$1
        shift
        ticks=$(($(ticks) + $(interrupt_ticks)))
        start "$kind"
        line=$($examples/throughput h1 h2 "$1" "$seconds" ${2:+"$2"})
        stop
        ticks=$(($(ticks) + $(interrupt_ticks) - ticks))
        received=$(echo "$line" | sed "s/.*received \([0-9]*\).*/\1/")
        loss=$(echo "$line" | sed "s/.*(\([0-9.]*\) % lost.*/\1/")
        own=$(sed "s/.* \([0-9]*\) ns a frame/\1/" "$results/forward")
        total=$((ticks * tick_ns / (received * seconds + 1)))
        echo "$kind,$1 B${2:+ at $2/s},$received,$loss,$own,$total" >>"$results/throughput"
    }
    for round in $(seq "$rounds"); do
        for kind in $kinds; do
            for bytes in 64 512 1514; do measure "$kind" $bytes; done
            for rate in 50000 100000; do measure "$kind" 1024 $rate; done
        done
    done

    # From here on h2 is in a namespace of its own, so that hosts with addresses use the path.
    unshare --net sleep 3600 &
    far=$!
    sleep 0.5
    ip link set h2 netns $far
    ip addr add 10.0.0.1/24 dev h1
    nsenter --target $far --net sh -c "ip link set lo up; ip link set h2 up; ip addr add 10.0.0.2/24 dev h2"
    nsenter --target $far --net iperf3 --server --daemon --pidfile "$results/iperf3.pid"
    trap "kill \$forwarder \$far \$(cat $results/iperf3.pid | tr -d \"\\\\000\") 2>/dev/null || true" EXIT
    # Appends KIND,DELAY_US,JUMBO_RECEIVED,TCP_MBPS.
    try() {
        ip link set h1 mtu 9000
        nsenter --target $far --net ip link set h2 mtu 9000
        start "$1"
        delay=$(ping -c 200 -i 0.005 10.0.0.2 | sed -n "s/.*time=\([0-9.]*\) ms/\1/p" | sort -n | awk "{ at[NR] = \$1 } END { printf \"%d\", 1000 * at[int((NR + 1) / 2)] }")
        jumbo=$(ping -c 5 -i 0.1 -s 8972 -M do -W 1 10.0.0.2 | sed -n "s/.* \([0-9]*\) received.*/\1/p")
        ip link set h1 mtu 1500
        nsenter --target $far --net ip link set h2 mtu 1500
        tcp=$(timeout $((seconds + 5)) iperf3 -c 10.0.0.2 -t "$seconds" -f m --connect-timeout 2000 2>/dev/null |
            sed -n "s/.* \([0-9.]*\) Mbits\/sec.*receiver/\1/p")
        stop
        echo "$1,$delay,$jumbo,${tcp:-0}" >>"$results/passes"
    }
    for round in $(seq "$rounds"); do
        for kind in $kinds; do try "$kind"; done
    done
'
# Prints the medians of the columns after the first $2 ones of the file $1, one line for each value of these.
medians() {
    awk -F, -v keys="$2" '
        function median(values, count,    parts, i, j, t) {
            split(values, parts, " ")
            for (i = 1; i <= count; i++)
                for (j = i + 1; j <= count; j++)
                    if (parts[j] + 0 < parts[i] + 0) { t = parts[i]; parts[i] = parts[j]; parts[j] = t }
            return parts[int((count + 1) / 2)]
        }
        {
            key = $1
            for (i = 2; i <= keys; i++) key = key " | " $i
            if (!(key in count)) order[++rows] = key
            count[key]++
            for (i = keys + 1; i <= NF; i++) values[key, i] = values[key, i] " " $i
            last = NF
        }
        END {
            for (row = 1; row <= rows; row++) {
                key = order[row]
                line = "| " key
                for (i = keys + 1; i <= last; i++) line = line " | " median(values[key, i], count[key])
                print line " |"
            }
        }' "$1"
}
echo "| kind | frames | received/s | lost % | forwarder, ns a frame | all, ns a frame |"
echo "|---|---|---|---|---|---|"
medians "$results/throughput" 2
echo
echo "| kind | round trip of a ping, median us | of 5 pings of 9000 B answered | TCP Mb/s |"
echo "|---|---|---|---|"
medians "$results/passes" 1
echo
uptime
