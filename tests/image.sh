#!/usr/bin/env bash
# The Dockerfile, built and used with nothing but the docker client: a program and a function of a folder are improved in
# sibling containers, in namespaces where the engine allows them, and never unisolated in silence.
#
#   tests/image.sh [ROOT]      ROOT: a folder with a Debian root; made by debootstrap when it is not there
#
# Needs root, debootstrap and a Docker engine on this machine. The base is a bare Debian, and the wheels come from outside.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
root=${1:-$work/root}
image=codeopt-image:$$
base=codeopt-base:$$
socket=${DOCKER_HOST:-unix:///var/run/docker.sock}
socket=${socket#unix://}
source tests/bare_debian.sh
trap 'docker rmi -f "$image" "$image-build" "$base" >/dev/null 2>&1 || true; rm -rf -- "$work"' EXIT

make_wheels() {
    docker run --rm --network host --env PIP_QUIET=2 --volume "$work/context:/context" "${options[@]}" "$base" bash -euc "
        python3 -m venv /tmp/venv
        cp -r /context /tmp/source
        cd /tmp/source
        /tmp/venv/bin/pip wheel -q -w /context/wheels '.[mcp,prices]' hatchling pytest scalene"
}

# A user's folder: a program with its cases, and a function with its test.
make_project() {
    local lines
    mkdir -p "$work/project/tests"
    cat >"$work/project/slow.py" <<'END'
known = []
total = 0
for number in range(int(input())):
    if number in known:
        total += 1
    known.append(number)
print(total)
END
    for lines in 5 40 3000; do
        echo "$lines" >"$work/project/input.$lines.txt"
        echo 0 >"$work/project/output.$lines.txt"
    done
    cat >"$work/project/orders.py" <<'END'
def unpaid(orders, payments):
    return [order for order in orders if order not in payments]
END
    cat >"$work/project/tests/test_orders.py" <<'END'
from orders import unpaid


def test_some():
    assert unpaid(list(range(3000)), list(range(0, 3000, 2))) == list(range(1, 3000, 2))
END
    touch "$work/project/pyproject.toml"
}

inside() { docker run --rm -v "$work/project":/work "$@"; }

# expect TEXT FILE: it is there, or all of the file is shown.
expect() { grep -qF -- "$1" "$2" || { echo "not there: $1"; cat "$2"; return 1; }; }

import_root "$root" "$base"
clone_to "$work/context"
mapfile -t options < <(pip_options)
make_wheels
DOCKER_BUILDKIT=0
export DOCKER_BUILDKIT
build() {
    docker build --network none --build-arg BASE="$base" --build-arg PIP_NO_INDEX=1 --build-arg PIP_FIND_LINKS=wheels \
        "$@" "$work/context" >"$work/build" 2>&1 || { tail -30 "$work/build"; exit 1; }
}
build --target build -t "$image-build" # named, to be removed
build -t "$image"
make_project
docker volume ls -q | sort >"$work/volumes"

inside -v "$socket:/var/run/docker.sock" "$image" improve -v slow.py >"$work/diff" 2>"$work/log" ||
    { cat "$work/log"; exit 1; }
cat "$work/log"
expect "sandbox    docker: this container's image" "$work/log"
expect "pytest" "$work/log"
grep -c '^[-+]' "$work/diff"

# Its calls come from its test, in a copy of the project that the sibling has to be shown.
inside -v "$socket:/var/run/docker.sock" "$image" profile --sandbox docker orders.py::unpaid --tests tests >"$work/profile" 2>"$work/log" ||
    { cat "$work/log"; exit 1; }
expect "not in payments" "$work/profile"

# The volume of the image would be the one place that a run could write to.
echo 'open("/var/tmp/codeopt/left", "w")' >"$work/project/left.py"
inside -v "$socket:/var/run/docker.sock" --entrypoint /opt/codeopt/bin/python "$image" \
    -c "import codeopt_sandbox as s; b = s.open_sandbox('docker'); print(b.run(open('left.py', 'rb').read())); b.close()" \
    >"$work/left" 2>&1 || true
expect "Read-only file system" "$work/left"

inside --cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
    "$image" profile slow.py --sandbox bubblewrap >"$work/profile" 2>"$work/log" || { cat "$work/log"; exit 1; }
expect "number in known" "$work/profile"

status=0
inside "$image" improve slow.py 2>"$work/log" || status=$?
((status == 3)) || { cat "$work/log"; exit 1; }
expect "nothing here can isolate a run" "$work/log"

docker volume ls -q | sort | comm -13 "$work/volumes" - >"$work/left"
[[ ! -s $work/left ]] || { echo "volumes are left:"; cat "$work/left"; exit 1; }
echo "the image improves a program in a sibling container, profiles a function there and a program in namespaces; else it refuses"
