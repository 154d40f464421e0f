# A Docker engine of our own where none answers; sourced by .ci/run, which exports where it listens and ends it.

engine=""

engine_answers() { python3 .ci/ping_engine.py; }

# Another socket and other folders than the system's engine has, and no bridge; gone with $CI_WORK at the end.
start_engine() {
    engine_answers && return 0
    step "a Docker engine"
    export DOCKER_HOST="unix://$CI_WORK/docker.sock"
    setsid dockerd --host "$DOCKER_HOST" --data-root "$CI_WORK/docker" --exec-root "$CI_WORK/docker.run" \
        --pidfile "$CI_WORK/docker.pid" --bridge none --iptables=false >"$CI_WORK/docker.log" 2>&1 &
    engine=$!
    for _ in {1..120}; do
        engine_answers && return 0
        kill -0 "$engine" 2>/dev/null || break
        sleep 0.5
    done
    tail -20 "$CI_WORK/docker.log"
    return 1
}

stop_engine() {
    [[ -n $engine ]] || return 0
    kill -- "$engine"
    tail -s 0.1 --pid="$engine" -f /dev/null
    umount "$CI_WORK"/docker.run/netns/* 2>/dev/null
}
