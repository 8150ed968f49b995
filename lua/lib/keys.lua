-- Names of keys (chapter 01 section 4), from the hash tag and ids. Derived names win over passed ones.
local keys = {}

local function of_execution(suffix)
    return function(tag, e)
        return "ff:exec:" .. tag .. ":" .. e .. suffix
    end
end

keys.core = of_execution(":core")
keys.payload = of_execution(":payload")
keys.result = of_execution(":result")
keys.policy = of_execution(":policy")
keys.tags = of_execution(":tags")
keys.attempts = of_execution(":attempts")
keys.lease_current = of_execution(":lease:current")
keys.lease_history = of_execution(":lease:history")
keys.claim_grant = of_execution(":claim_grant")
keys.suspension = of_execution(":suspension:current")
keys.satisfied_set = of_execution(":suspension:current:satisfied_set")
keys.satisfied_signals = of_execution(":suspension:current:satisfied_set:signals")
keys.member_map = of_execution(":suspension:current:member_map")
keys.waitpoints = of_execution(":waitpoints")
keys.signals = of_execution(":signals")
keys.deps_meta = of_execution(":deps:meta")
keys.deps_unresolved = of_execution(":deps:unresolved")
keys.deps_all_edges = of_execution(":deps:all_edges")
keys.inputs = of_execution(":inputs")

function keys.dep(tag, e, edge)
    return "ff:exec:" .. tag .. ":" .. e .. ":dep:" .. edge
end

function keys.input(tag, e, name)
    return "ff:exec:" .. tag .. ":" .. e .. ":input:" .. name
end

-- Attempts and their streams; `index` is a number or its text.
function keys.attempt(tag, e, index)
    return "ff:attempt:" .. tag .. ":" .. e .. ":" .. index
end

function keys.attempt_usage(tag, e, index)
    return keys.attempt(tag, e, index) .. ":usage"
end

function keys.attempt_policy(tag, e, index)
    return keys.attempt(tag, e, index) .. ":policy"
end

function keys.attempt_summary(tag, e, index)
    return keys.attempt(tag, e, index) .. ":summary"
end

function keys.stream(tag, e, index)
    return "ff:stream:" .. tag .. ":" .. e .. ":" .. index
end

function keys.stream_live(tag, e, index)
    return keys.stream(tag, e, index) .. ":live"
end

function keys.stream_meta(tag, e, index)
    return keys.stream(tag, e, index) .. ":meta"
end

function keys.waitpoint(tag, waitpoint)
    return "ff:wp:" .. tag .. ":" .. waitpoint
end

function keys.waitpoint_condition(tag, waitpoint)
    return "ff:wp:" .. tag .. ":" .. waitpoint .. ":condition"
end

function keys.waitpoint_signals(tag, waitpoint)
    return "ff:wp:" .. tag .. ":" .. waitpoint .. ":signals"
end

function keys.signal(tag, signal)
    return "ff:signal:" .. tag .. ":" .. signal
end

function keys.signal_payload(tag, signal)
    return "ff:signal:" .. tag .. ":" .. signal .. ":payload"
end

function keys.signal_dedup(tag, waitpoint, key)
    return "ff:sigdedup:" .. tag .. ":" .. waitpoint .. ":" .. key
end

function keys.suspend_dedup(tag, e, key)
    return "ff:dedup:suspend:" .. tag .. ":" .. e .. ":" .. key
end

-- What signs the tokens of waitpoints, and the lock of its rotation.
function keys.secrets(tag)
    return "ff:sec:" .. tag .. ":waitpoint_hmac"
end

function keys.rotate_lock(tag)
    return "ff:sec:" .. tag .. ":rotate_lock"
end

function keys.idem(tag, namespace, key)
    return "ff:idem:" .. tag .. ":" .. namespace .. ":" .. key
end

-- Every call names the same few indexes, and joining texts is slow: their names are kept, by tag, what
-- they are of, and name. Lanes and workers come and go, so all are forgotten when there are too many.
local KEPT_MAX = 4096
local kept, kept_count = {}, 0

local function keep(tag, of, name, key)
    if kept_count == KEPT_MAX then
        kept, kept_count = {}, 0
    end
    kept_count = kept_count + 1
    local of_tag = kept[tag] or {}
    kept[tag] = of_tag
    local names = of_tag[of] or {}
    of_tag[of] = names
    names[name] = key
    return key
end

local function find(tag, of, name)
    local of_tag = kept[tag]
    local names = of_tag and of_tag[of]
    return names and names[name]
end

-- A lane index: eligible, delayed, active, terminal, suspended, blocked:<why>, eligible_ns, route_sets.
function keys.lane(tag, lane, name)
    return find(tag, lane, name) or keep(tag, lane, name, "ff:idx:" .. tag .. ":lane:" .. lane .. ":" .. name)
end

-- A partition index: lease_expiry, attempt_timeout, all_executions, ...
function keys.index(tag, name)
    -- No lane has an empty name.
    return find(tag, "", name) or keep(tag, "", name, "ff:idx:" .. tag .. ":" .. name)
end

function keys.worker_leases(tag, worker_instance)
    -- Nor is a lane `true`.
    return find(tag, true, worker_instance)
        or keep(tag, true, worker_instance, "ff:idx:" .. tag .. ":worker:" .. worker_instance .. ":leases")
end

function keys.wake(tag)
    return "ff:wake:" .. tag
end

-- events, signal_delivery, feed_seq.
function keys.part(tag, name)
    return "ff:part:" .. tag .. ":" .. name
end

-- A record of a flow: core, members, pending_cancels, out:<eid>, in:<eid>, ...
function keys.flow(tag, flow, name)
    return "ff:flow:" .. tag .. ":" .. flow .. ":" .. name
end

-- The number in the tag. Calls of one partition often follow each other: the last one is remembered.
local last_tag, last_partition

function keys.partition(tag)
    if tag ~= last_tag then
        last_tag, last_partition = tag, string.match(tag, "%d+") or ""
    end
    return last_partition
end

return keys
