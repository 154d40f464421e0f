#!/usr/bin/env bash
# The README's main command where nothing is allowed: a bare Debian in a container, an ordinary user, no capabilities,
# no namespaces, no engine. The rules must work there on plain processes, say so, and a model's code must be refused.
#
#   tests/bare_container.sh [ROOT]      ROOT: a folder with a Debian root; made by debootstrap when it is not there
#
# Needs root, debootstrap and a Docker engine. pip inside has this machine's settings and certificates.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
root=${1:-$work/root}
image=codeopt-bare:$$
source tests/bare_debian.sh
trap 'docker rmi -f "$image" >/dev/null 2>&1 || true; rm -rf -- "$work"' EXIT

inside() {
    docker run --rm --network host --cap-drop ALL --security-opt no-new-privileges --user 4321:4321 \
        --tmpfs /tmp:exec,mode=1777 --env HOME=/tmp --workdir /tmp --volume "$work/clone:/clone:ro" \
        "${options[@]}" "$image" bash -euc "cp -r /clone codeopt; cd codeopt; $1"
}

import_root "$root" "$image"
clone_to "$work/clone"
chmod a+rX "$work"
mapfile -t options < <(pip_options)
improve=$(grep -m1 -F 'pip install . && venv/bin/codeopt improve' README.md)

inside "
set -o pipefail
$improve >diff 2>log || { cat log; exit 1; }
cat log
grep -q 'neither Docker nor namespaces can be used here' log
grep -c '^[-+]' diff
status=0
venv/bin/codeopt improve problems/ribbon-printer/slow.py --base-url http://127.0.0.1:9 2>log || status=\$?
cat log
test \$status = 3
grep -q -e '--sandbox process' log
"
echo "works in a bare container; a model's code is refused there"
