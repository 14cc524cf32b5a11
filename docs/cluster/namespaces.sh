#!/usr/bin/env bash
# Several hosts on one machine: network namespaces, joined by a bridge, each with an address and a loopback device of
# its own and, if one is given, a delay (1ms). Asks the same question of one process and of all hosts, and of all hosts while one is cut off.
#
#   namespaces.sh PROGRAM [HOSTS] [DELAY]      as root; needs ip and tc (Debian: iproute2)
#
# CUT says after how many seconds (3), FENCEWRIGHT names the binary, ARGUMENTS what is asked (by default without reductions but for local steps).
set -euo pipefail
program=$1 hosts=${2:-3} delay=${3:-}
binary=${FENCEWRIGHT:-fencewright}
read -ra arguments <<<"${ARGUMENTS:---reductions local-steps}"
folder=$(mktemp -d)
names=()
clean() {
  for name in "${names[@]}"; do
    ip netns pids "$name" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns delete "$name" 2>/dev/null || true
  done
  ip link delete fw-bridge 2>/dev/null || true
  rm -rf "$folder"
}
trap clean EXIT
ip link add fw-bridge type bridge
ip link set fw-bridge up
for ((host = 0; host < hosts; host++)); do
  name=fw-host-$host
  names+=("$name")
  ip netns add "$name"
  ip link add "fw-$host" type veth peer name eth0 netns "$name"
  ip link set "fw-$host" master fw-bridge up
  ip -n "$name" address add "10.99.0.$((host + 1))/24" dev eth0
  ip -n "$name" link set eth0 up
  ip -n "$name" link set lo up
  [[ -z $delay ]] || tc -n "$name" qdisc add dev eth0 root netem delay "$delay"
  echo "10.99.0.$((host + 1)):4700" >>"$folder/hosts"
done
workers() {
  for ((host = 1; host < hosts; host++)); do
    ip netns exec "fw-host-$host" "$binary" worker --cluster "$folder/hosts" --process "$host" &
  done
}
export FENCEWRIGHT_CLUSTER_KEY=namespaces
echo "one process:"
"$binary" reach "$program" "${arguments[@]}" || true
echo "$hosts hosts:"
workers
ip netns exec fw-host-0 "$binary" reach "$program" "${arguments[@]}" --cluster "$folder/hosts" || true
wait
echo "$hosts hosts, of which the last is cut off after ${CUT:-3} s:"
workers
(sleep "${CUT:-3}" && ip link set "fw-$((hosts - 1))" down) &
ip netns exec fw-host-0 "$binary" reach "$program" "${arguments[@]}" --cluster "$folder/hosts" || echo "exit code $?"
