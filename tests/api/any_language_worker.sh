#!/usr/bin/env bash
# A worker that has nothing but HTTP: curl and jq. Runs one execution through its whole life, then
# the nodes of a fan-out flow. Fails at the first thing that is not as it should be.
#
#   any_language_worker.sh <base url> <name>      name: lane and namespace, used by nobody else
set -euo pipefail

base=$1
name=$2

fail() {
    echo "any_language_worker: $*" >&2
    exit 1
}

# call <method> <path> [<json>]: the body of a 2xx answer.
call() {
    local answer status
    if [ $# -gt 2 ]; then
        answer=$(curl -sS -X "$1" "$base$2" -H 'Content-Type: application/json' -d "$3" -w '\n%{http_code}')
    else
        answer=$(curl -sS -X "$1" "$base$2" -w '\n%{http_code}')
    fi
    status=${answer##*$'\n'}
    case $status in
        2??) printf '%s' "${answer%$'\n'*}" ;;
        *) fail "$1 $2: $answer" ;;
    esac
}

# is <what> <wanted> <found>
is() { [ "$2" = "$3" ] || fail "$1 is '$3', not '$2'"; }

path_of() { printf '/v1/executions/%s' "$(jq -rn --arg id "$1" '$id|@uri')"; }

claim() {
    call POST /v1/workers/bash/tasks/claim "$(jq -n --arg lane "$name" --argjson most "$1" \
        '{worker_instance_id: "bash-1", lanes: [$lane], max_tasks: $most, wait_ms: 10000}')"
}

whole_life() {
    local id path task token suspended waitpoint secret
    id=$(call POST /v1/executions "$(jq -n --arg name "$name" \
        '{namespace: $name, lane_id: $name, execution_kind: "report", payload: "{\"page\":7}"}')" |
        jq -r .execution_id)
    path=$(path_of "$id")

    task=$(claim 1 | jq '.tasks[0]')
    is "the claimed execution" "$id" "$(jq -r .execution_id <<<"$task")"
    is "the payload" 7 "$(jq -r '.payload|fromjson|.page' <<<"$task")"
    token=$(jq -r .task_token <<<"$task")

    call POST "$path/renew" "$(jq -n --arg t "$token" '{task_token: $t}')" >/dev/null
    call POST "$path/progress" "$(jq -n --arg t "$token" '{task_token: $t, pct: 50, message: "half"}')" >/dev/null
    is "the progress" 50 "$(call GET "$path" | jq .progress_pct)"
    call POST "$path/attempts/0/stream" "$(jq -n --arg t "$token" \
        '{task_token: $t, frames: [{frame_type: "delta", payload: "one", seq: 1},
                                   {frame_type: "delta", payload: "two", seq: 2}]}')" >/dev/null
    is "the number of frames" 2 "$(call GET "$path/attempts/0/stream" | jq '.frames|length')"

    suspended=$(call POST "$path/suspend" "$(jq -n --arg t "$token" \
        '{task_token: $t, reason_code: "waiting_for_approval", signals: ["approved"],
          timeout_ms: 60000, suspension_id: "11111111-2222-4333-8444-555555555555"}')")
    is "the suspension" suspended "$(jq -r .status <<<"$suspended")"
    is "the state" suspended "$(call GET "$path/state" | jq -r .public_state)"
    waitpoint=$(jq -r .waitpoint_id <<<"$suspended")
    secret=$(jq -r .waitpoint_token <<<"$suspended")

    # Somebody approves: the signed token is all it takes.
    call POST "$path/signal" "$(jq -n --arg w "$waitpoint" --arg t "$secret" \
        '{signal_name: "approved", signal_category: "approval", source_type: "human",
          source_identity: "ann", waitpoint_id: $w, waitpoint_token: $t, payload: "yes"}')" >/dev/null

    task=$(claim 1 | jq '.tasks[0]')
    is "the attempt type" resumed "$(jq -r .attempt_type <<<"$task")"
    is "the attempt" 0 "$(jq .attempt_index <<<"$task")"
    is "the signal" yes "$(call GET "$path/resume-signals?attempt_index=0" | jq -r '.signals[0].payload')"
    token=$(jq -r .task_token <<<"$task")
    call POST "$path/complete" "$(jq -n --arg t "$token" '{task_token: $t, result: "done"}')" >/dev/null
    is "the result" done "$(call GET "$path/result")"
    is "the end" completed "$(call GET "$path/state" | jq -r .public_state)"
}

# One root, 18 that depend on it, one that depends on all of those.
fan_out() {
    local flow done_tasks=0 answer
    flow=$(call POST /v1/flows/submit "$(jq -n --arg name "$name" '
        {flow_kind: "fan", namespace: $name, defaults: {lane_id: $name}, seal: true,
         nodes: ([{name: "root", execution_kind: "split"}]
             + [range(18) | {name: "part\(.)", execution_kind: "part", depends_on: ["root"]}]
             + [{name: "join", execution_kind: "join", depends_on: [range(18) | "part\(.)"]}])}')" |
        jq -r .flow_id)
    while [ "$done_tasks" -lt 20 ]; do
        answer=$(claim 8)
        [ -n "$answer" ] || fail "no work after $done_tasks of 20 nodes"
        while read -r id token; do
            call POST "$(path_of "$id")/complete" \
                "$(jq -n --arg t "$token" '{task_token: $t, result: "ok"}')" >/dev/null
            done_tasks=$((done_tasks + 1))
        done < <(jq -r '.tasks[] | "\(.execution_id) \(.task_token)"' <<<"$answer")
    done
    is "the flow" completed "$(call GET "/v1/flows/$flow" | jq -r .public_flow_state)"
}

whole_life
fan_out
echo "any_language_worker: all done"
