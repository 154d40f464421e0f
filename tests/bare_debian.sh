# A bare Debian as an image, and pip inside it with this machine's settings and certificates. Sourced; $work is a folder.

# make_root FOLDER: programs and Python of a minimal Debian.
make_root() {
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v -m1 security)
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates,git bookworm "$1" "$mirror" >"$work/log" 2>&1 ||
        { tail "$work/log"; return 1; }
}

# import_root FOLDER IMAGE: the folder is made where it is not there.
import_root() {
    [[ -d $1 ]] || make_root "$1"
    tar -C "$1" -c . | docker import - "$2" >/dev/null
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

# clone_to FOLDER: what git tracks, readable for everybody.
clone_to() {
    mkdir "$1"
    git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | tar --null --verbatim-files-from -T - -cf - | tar -C "$1" -xf -
    chmod -R a+rX "$1"
}
