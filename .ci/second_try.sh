# Tests that fail run once more, alone: on a shared machine a time-out may be the neighbour's doing. What fails twice
# fails; what passes then is listed at the end of .ci/run, because it may as well be a race of ours. Sourced.

# Half as many again as there are processors: as many as those leave them an eighth of their time, waiting for containers
# and for signals.
export PYTEST_XDIST_AUTO_NUM_WORKERS=${PYTEST_XDIST_AUTO_NUM_WORKERS:-$(($(nproc) * 3 / 2))}

# The names of the tests that failed last, one a line.
last_failed() {
    python3 -c 'import json, sys; print(*sorted(json.load(open(sys.argv[1]))), sep="\n")' \
        .pytest_cache/v/cache/lastfailed
}

# with_second_try PYTHON COMMAND...: the command runs pytest in this folder, by that interpreter.
with_second_try() {
    local python=$1 status=0
    shift
    rm -f .pytest_cache/v/cache/lastfailed # what failed in another step is that step's
    "$@" || status=$?
    ((status == 1)) || return "$status" # 0: all passed; others: pytest could not run them, and would not now
    last_failed >"$CI_WORK/failed"
    step "what failed, once more, alone"
    status=0
    env -u TESTS_UNTIL "$python" -m pytest -q -m '' --last-failed --last-failed-no-failures none || status=$?
    ((status > 1)) || last_failed | comm -23 "$CI_WORK/failed" - >>"$CI_WORK/second_try"
    return "$status"
}
