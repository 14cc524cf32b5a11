#!/bin/bash
# Many packages on the hosts of a file, one name per line (`:` is this machine), with GNU parallel over ssh:
#   batch.parallel.sh packages.list hosts
# The list, its files and the program are at the same paths on all hosts.
set -euo pipefail

list=$(realpath "$1") hosts=$2
parts=$(grep -c . "$hosts")
seq "$parts" | parallel --sshloginfile "$hosts" --jobs 1 --workdir . \
    --return 'results-{}.jsonl' --cleanup \
    "fencewright batch $list --shard {}/$parts --results results-{}.jsonl --timeout 600; [ \$? -le 3 ]"
fencewright merge results-*.jsonl --list "$list"
