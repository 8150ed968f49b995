-- The plan of a submission (chapter 05 section 5.5.1): read and checked whole before anything is written.
local flow_plan = {}

local NODES_MAX, EDGES_MAX, PAYLOAD_MAX = 1000, 5000, 16777216
local PAYLOADS_FROM = 6

local function bad(where, why)
    args.refuse(where, why)
end

local function list_of(plan, name)
    local list = plan[name]
    if list == nil or list == cjson.null then return {} end
    if type(list) ~= "table" then bad("plan." .. name, "not a list") end
    for i = 1, #list do
        if type(list[i]) ~= "table" then bad("plan." .. name .. "[" .. (i - 1) .. "]", "not an object") end
    end
    return list
end

-- A text member; numbers are taken as their text, missing ones are empty.
local function text_of(object, name, where)
    local value = object[name]
    if value == nil or value == cjson.null then return "" end
    if type(value) == "number" and value == math.floor(value) and math.abs(value) <= args.INTEGER_MAX then
        return text(value)
    end
    if type(value) ~= "string" then bad(where .. "." .. name, "not a text") end
    return value
end

function flow_plan.decode(json)
    local plan = args.json_object(json)
    if not plan then bad("plan", "not an object") end
    local header = plan.flow
    if header == nil or header == cjson.null then header = {} end
    if type(header) ~= "table" then bad("plan.flow", "not an object") end
    return {flow = header, nodes = list_of(plan, "nodes"), edges = list_of(plan, "edges")}
end

function flow_plan.check_size(plan, argv)
    if #plan.nodes > NODES_MAX then refuse("flow_too_large", "nodes") end
    if #plan.edges > EDGES_MAX then refuse("flow_too_large", "edges") end
    local bytes = 0
    for i = PAYLOADS_FROM, #argv do
        bytes = bytes + #argv[i]
    end
    if bytes > PAYLOAD_MAX then refuse("flow_too_large", "payloads") end
end

local function payload_of(node, argv, where)
    local position = node.payload
    if position == nil or position == cjson.null then position = -1 end
    if type(position) ~= "number" or position ~= math.floor(position) or position < -1
        or position >= #argv - PAYLOADS_FROM + 1 then
        bad(where .. ".payload", "out of range")
    end
    return position == -1 and "" or argv[PAYLOADS_FROM + position]
end

local function tags_of(node, where)
    if node.tags == nil or node.tags == cjson.null then return "" end
    if type(node.tags) ~= "table" then bad(where .. ".tags", "not an object") end
    return next(node.tags) and cjson.encode(node.tags) or ""
end

-- The node as creation knows it.
local function creation_of(u, node, argv, where, namespace, has_edges)
    return creation.read({
        text_of(node, "eid", where), namespace, text_of(node, "lane", where), text_of(node, "kind", where),
        text_of(node, "priority", where), text_of(node, "creator", where), text_of(node, "policy", where),
        payload_of(node, argv, where), text_of(node, "delay_until", where), "", tags_of(node, where),
        text_of(node, "deadline_at", where), "", text_of(node, "payload_encoding", where),
        has_edges and "dependencies" or "", "",
    }, 1, u.now, {})
end

local function check_new(u, a)
    local fresh = creation.check(u, a)
    if not fresh then refuse("execution_already_exists") end
    return {1}
end

-- Reads one node; refusals of its creation name it.
local function read_node(u, s, i)
    local node, where = s.plan.nodes[i], "plan.nodes[" .. (i - 1) .. "]"
    local e, name = text_of(node, "eid", where), text_of(node, "name", where)
    if e == "" then bad(where .. ".eid", "empty") end
    if not flow.is_id_of(u.tag, e) then refuse("partition_mismatch", e) end
    if s.by_id[e] then refuse("duplicate_node", e) end
    if name ~= "" and (s.names[name] or s.has_name(name)) then refuse("duplicate_node", name) end
    local reply = registry.answer(function()
        local a = creation_of(u, node, s.argv, where, s.namespace, s.indegree[e] ~= nil)
        check_new(u, a)
        return {1, a}
    end)
    if reply[1] == 0 then
        refuse(reply[2], string.sub(reply[3] or "", 1, 5) == "plan." and reply[3] or where .. " " .. (reply[3] or e))
    end
    local read = {e = e, name = name, creation = reply[2], join = node.join, where = where}
    s.by_id[e] = read
    if name ~= "" then s.names[name] = e end
    s.nodes[i] = read
end

-- In-degrees first: a node with inbound edges is created on hold.
local function count_edges(s)
    for i = 1, #s.plan.edges do
        local down = s.plan.edges[i].down
        if type(down) == "string" then s.indegree[down] = (s.indegree[down] or 0) + 1 end
    end
end

local function read_join(s, node)
    local join = node.join
    if join == nil or join == cjson.null then return end
    local where = node.where .. ".join"
    if type(join) ~= "table" then bad(where, "not an object") end
    local degree = s.indegree[node.e] or 0
    if degree == 0 then bad(where, "no inbound edges") end
    local variant, on_satisfied, k = edge_group.check_policy(text_of(join, "policy", where),
        text_of(join, "on_satisfied", where), text_of(join, "k", where), function(why) bad(where, why) end)
    if variant == "quorum" and k > degree then bad(where, "k exceeds the inbound edges") end
    node.variant, node.on_satisfied, node.k = variant, on_satisfied, k
end

-- `s`: plan, argv, flow_id, namespace, has_name. Fills nodes, by_id, names, indegree and edges.
function flow_plan.read(u, s)
    s.nodes, s.by_id, s.names, s.indegree = {}, {}, {}, {}
    count_edges(s)
    for i = 1, #s.plan.nodes do
        read_node(u, s, i)
    end
    plan_edges.read(u, s, text_of)
    for i = 1, #s.nodes do
        read_join(s, s.nodes[i])
    end
    plan_edges.check_payloads(s)
    plan_edges.check_cycle(u, s)
end

return flow_plan
