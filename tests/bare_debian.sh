# A bare Debian, as an image or as a folder, and pip inside it with this machine's settings and certificates. Sourced; $work is a folder.

# make_root FOLDER [SUITE PACKAGES]: programs and Python of a minimal Debian.
make_root() {
    local mirror suite=${2:-bookworm} packages=${3:-python3,python3-venv}
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v -m1 security)
    debootstrap --variant=minbase --include="$packages,ca-certificates,git" "$suite" "$1" "$mirror" >"$work/log" 2>&1 ||
        { tail "$work/log"; return 1; }
}

# import_root FOLDER IMAGE: the folder is made where it is not there.
import_root() {
    [[ -d $1 ]] || make_root "$1"
    tar -C "$1" -c . | docker import - "$2" >/dev/null
}

# in_root FOLDER COMMAND: by an ordinary user in a mount namespace of its own, where namespaces can be made and /tmp is empty.
in_root() {
    local settings
    mapfile -t settings < <(pip_settings)
    unshare --mount --propagation private -- bash -euc '
        root=$0 command=$1
        shift
        mount --rbind "$root" "$root"
        cd "$root"
        for name in proc sys dev; do mount --rbind "/$name" "$name"; done
        mount -t tmpfs -o mode=1777 tmp tmp
        variables=()
        for setting in "$@" /etc/resolv.conf /etc/hosts; do
            [[ $setting == /* ]] || { variables+=("$setting"); continue; }
            if [[ -d $setting ]]; then mkdir -p ".$setting"; else mkdir -p ".${setting%/*}"; [[ -e .$setting ]] || touch ".$setting"; fi
            mount --bind "$setting" ".$setting"
        done
        mkdir -p old
        pivot_root . old
        umount -l /old
        exec chroot --userspec=4321:4321 / env -i HOME=/tmp PATH=/tmp/bin:/usr/bin:/bin "${variables[@]}" \
            bash -euc "cd /tmp; $command"' "$1" "$2" "${settings[@]}"
}

# What pip needs from this machine, one a line: its settings, as variables, and certificates and folders that these name.
pip_settings() {
    local name value
    for name in SSL_CERT_FILE REQUESTS_CA_BUNDLE http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [[ -z ${!name:-} ]] || printf '%s\n' "$name=${!name}"
    done
    python3 -m pip config list | sed -n "s/^\(global\|:env:\)\.\([a-z-]*\)='\(.*\)'$/\2 \3/p" >"$work/settings"
    while read -r name value; do
        name=${name^^}
        printf '%s\n' "PIP_${name//-/_}=$value"
    done <"$work/settings"
    { grep -oE '/[^ ]+' "$work/settings" || true; echo /etc/ssl/certs/ca-certificates.crt; } |
        sed 's,^/*,/,; s,/simple/*$,,' | sort -u | while read -r name; do
            [[ $name == / || ! -e $name ]] || printf '%s\n' "$name"
        done
}

# The same as options of docker run.
pip_options() {
    local setting
    pip_settings | while read -r setting; do
        if [[ $setting == /* ]]; then printf '%s\n' --volume "$setting:$setting:ro"; else printf '%s\n' --env "$setting"; fi
    done
}

# clone_to FOLDER: what git tracks, readable for everybody.
clone_to() {
    mkdir "$1"
    git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | tar --null --verbatim-files-from -T - -cf - | tar -C "$1" -xf -
    chmod -R a+rX "$1"
}
