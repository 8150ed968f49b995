-- The creates of bench/http_bench.cc, for wrk: the same bodies over the same lanes.
local LANES, PAYLOAD_BYTES = 16, 200

local requests = {}
local at = 0

function init()
    for lane = 0, LANES - 1 do
        local body = string.format(
            '{"namespace":"bench","execution_kind":"noop","lane_id":"bench-%d","payload":"%s"}',
            lane, string.rep("p", PAYLOAD_BYTES))
        requests[lane + 1] = wrk.format("POST", "/v1/executions",
            {["Content-Type"] = "application/json"}, body)
    end
end

function request()
    at = at % LANES + 1
    return requests[at]
end
