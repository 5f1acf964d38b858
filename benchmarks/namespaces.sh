#!/usr/bin/env bash
# Train on workers in network namespaces of their own, which reach the head only over TCP.
#
#   sudo benchmarks/namespaces.sh dask titles.parquet
#   sudo benchmarks/namespaces.sh ray titles.parquet
#
# Makes a bridge (10.77.0.1) and two namespaces (10.77.0.11 and 12), starts a worker in each, fits
# a model from here, and removes everything again; with ray, it stops all of Ray on this machine.
set -euo pipefail
engine=$1 file=$2 bin=${BIN:-.venv/bin} out=$(mktemp -d)

# A Ray head that listens beyond this host asks for a token: one for this run only.
python3 -c "import secrets; print(secrets.token_hex(32))" > "$out/token"
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="$out/token"

clean() {
    set +e
    kill $(jobs -p) 2> /dev/null || true
    [ "$engine" = ray ] && "$bin/ray" stop --force > /dev/null 2>&1
    for i in 1 2; do ip netns delete "bittern$i" 2> /dev/null || true; done
    for link in veth1 veth2 bittern0; do ip link delete $link 2> /dev/null; done || true
    rm -rf "$out"
}
trap clean EXIT
trap "cat $out/*.log" ERR

ip link add bittern0 type bridge
ip address add 10.77.0.1/24 dev bittern0
ip link set bittern0 up
for i in 1 2; do
    ip netns add "bittern$i"
    ip link add "veth$i" type veth peer name eth0 netns "bittern$i"
    ip link set "veth$i" master bittern0 up
    ip -n "bittern$i" address add "10.77.0.1$i/24" dev eth0
    ip -n "bittern$i" link set eth0 up
    ip -n "bittern$i" link set lo up
done

if [ "$engine" = dask ]; then
    "$bin/dask" scheduler --host 10.77.0.1 --port 8786 --no-dashboard > "$out/head.log" 2>&1 &
    for i in 1 2; do
        ip netns exec "bittern$i" "$bin/dask" worker tcp://10.77.0.1:8786 --nworkers 1 \
            --nthreads 1 --no-dashboard > "$out/worker$i.log" 2>&1 &
    done
    cluster="dask tcp://10.77.0.1:8786"
else
    "$bin/ray" start --head --node-ip-address 10.77.0.1 --port 6379 --num-cpus 0 \
        --include-dashboard false > "$out/head.log" 2>&1
    for i in 1 2; do
        ip netns exec "bittern$i" "$bin/ray" start --address 10.77.0.1:6379 \
            --node-ip-address "10.77.0.1$i" --num-cpus 1 > "$out/worker$i.log" 2>&1
    done
    cluster="ray 10.77.0.1:6379"
fi
sleep 10
"$bin/bittern" fit "$file" --text text --topics 20 --seed 0 --cluster "$cluster" --out "$out/model"
for i in 1 2; do
    echo "bytes received in namespace $i: $(ip netns exec "bittern$i" cat /sys/class/net/eth0/statistics/rx_bytes)"
done
