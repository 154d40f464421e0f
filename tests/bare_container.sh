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
trap 'docker rmi -f "$image" >/dev/null 2>&1 || true; rm -rf -- "$work"' EXIT

make_root() {
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v -m1 security)
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$1" "$mirror" >"$work/log" 2>&1 ||
        { tail "$work/log"; return 1; }
}

# What pip needs from this machine: its settings, as variables, certificates, and the folders that the settings name.
pip_options() {
    local name value
    for name in SSL_CERT_FILE REQUESTS_CA_BUNDLE http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [[ -z ${!name:-} ]] || printf '%s\n' --env "$name=${!name}"
    done
    python3 -m pip config list | sed -n "s/^\(global\|:env:\)\.\([a-z-]*\)='\(.*\)'$/\2 \3/p" >"$work/settings"
    while read -r name value; do
        name=${name^^}
        printf '%s\n' --env "PIP_${name//-/_}=$value"
    done <"$work/settings"
    { grep -oE '/[^ ]+' "$work/settings" || true; echo /etc/ssl/certs/ca-certificates.crt; } |
        sed 's,^/*,/,; s,/simple/*$,,' | sort -u | while read -r name; do
            [[ $name == / || ! -e $name ]] || printf '%s\n' --volume "$name:$name:ro"
        done
}

inside() {
    docker run --rm --network host --cap-drop ALL --security-opt no-new-privileges --user 4321:4321 \
        --tmpfs /tmp:exec,mode=1777 --env HOME=/tmp --workdir /tmp --volume "$work/clone:/clone:ro" \
        "${options[@]}" "$image" bash -euc "cp -r /clone codeopt; cd codeopt; $1"
}

[[ -d $root ]] || make_root "$root"
tar -C "$root" -c . | docker import - "$image" >/dev/null
mkdir "$work/clone"
git -c safe.directory='*' ls-files -z | tar --null --verbatim-files-from -T - -cf - | tar -C "$work/clone" -xf -
chmod -R a+rX "$work"
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
