# What the steps share; each step sources it. CI_WORK, from .ci/run, is the folder for everything that a run writes.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repo=$PWD
unset PYTHONDONTWRITEBYTECODE # where a machine sets it, a thousand processes would each compile all that they import
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=2 PIP_ROOT_USER_ACTION=ignore

# The distribution's Python goes before any that was built on this machine: who follows the README has it, and it is made
# for speed. A pyenv's, built as pyenv does unless told otherwise, starts in 38 ms in place of 11 and computes 1.2 times as long.
usable='import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'
if [[ $PATH != /usr/bin:* ]] && /usr/bin/python3 -c "$usable" 2>/dev/null; then PATH=/usr/bin:$PATH; fi

step() { printf '\n== %4ds  %s\n' "$((EPOCHSECONDS - CI_STARTED))" "$*"; }

# run_steps STEP...: each of them, whatever became of the one before; those that fail are noted in $CI_WORK/failed_steps.
run_steps() {
    local name
    for name in "$@"; do
        step "$name: $(sed -n '2s/^# //p' ".ci/$name")"
        bash ".ci/$name" || echo "$name" >>"$CI_WORK/failed_steps"
    done
}

# The command in README.md that has these words in it: CI runs what the README says, to the letter.
readme_command() {
    grep -m1 -F -- "$1" README.md || { echo "README.md has no command with: $1" >&2; return 1; }
}

# A copy of the working tree without what git ignores, as a fresh clone has it.
copy_to() {
    mkdir -p "$1"
    git -C "$repo" -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
        tar -C "$repo" --null --verbatim-files-from -T - -cf - | tar -C "$1" -xf -
}

# add_packages VENV REQUIREMENT: by uv, in a quarter of the time; where that fails by pip, which knows the machine's settings.
# The first environment, which the tests' is in a whole run, has its own uv, and lends it to the others.
add_packages() {
    local uv=$CI_WORK/clone/venv/bin/uv
    [[ -x $uv ]] || { uv=$1/bin/uv; "$1/bin/pip" install uv || true; }
    "$uv" pip install --quiet --link-mode copy --python "$1/bin/python" "$2" || "$1/bin/pip" install "$2"
}

# A copy with an environment that has what tests need, made by the first step that asks for it.
test_environment() {
    local clone=$CI_WORK/clone
    (
        flock 9
        [[ -d $clone ]] && exit
        copy_to "$clone"
        python3 -m venv "$clone/venv"
        add_packages "$clone/venv" "$clone[test]"
        "$clone/venv/bin/python" -c "import numpy, pandas" # compiles them: in a sandbox, where nothing is written, each run would
    ) 9>"$CI_WORK/clone.lock"
    cd "$clone"
}
