-- The writes of a checked submission (chapter 05 section 5.5.1).
local submission = {}

local VIA = {create = "submit", expand = "expand"}

local function write_node(u, s, node, numbers)
    node.creation.flow_id = s.flow_id
    local reply = creation.write(u, node.creation)
    if reply[4] == "waiting" then numbers.eligible_now_count = numbers.eligible_now_count + 1 end
    local degree = s.indegree[node.e] or 0
    graph.add_member(u, s.flow_id, node.e, {
        added_by = node.creation.creator_identity, is_root = degree == 0 and "1" or "0", name = node.name,
        via = VIA[s.mode],
    })
    if degree == 0 then return end
    unit.hset(u, edge_group.key(u.tag, s.flow_id, node.e), edge_group.fields(u, node.variant or "all_of",
        node.on_satisfied or "", node.k or 0, degree, degree))
    unit.hset(u, keys.deps_meta(u.tag, node.e), {
        flow_id = s.flow_id, unsatisfied_required_count = degree, gate = "closed",
        last_flow_graph_revision = numbers.graph_revision, last_dependency_update_at = u.now,
    })
end

-- Upstreams that had ended before are cascaded, each once; a former leaf that ended badly is none now.
local function follow_upstreams(u, s)
    local done = {}
    for _, edge in ipairs(s.edges) do
        local up = s.existing[edge.upstream]
        if up and not done[edge.upstream] then
            done[edge.upstream] = true
            if not s.followed[edge.upstream] then graph.follow_ended(u, edge.upstream, s.flow_id) end
            if up.is_leaf then
                unit.after(u, function()
                    flow.leave_leaves(u, s.flow_id, up.core)
                end)
            end
        end
    end
end

local function write_edges(u, s, numbers)
    s.followed = {}
    for _, edge in ipairs(s.edges) do
        edge.revision = numbers.graph_revision
        graph.add_edge(u, edge)
        if s.by_id[edge.downstream] then
            graph.add_dependency(u, edge)
        else
            -- Several edges may lead into one member: each meets what the one before it wrote.
            unit.commit_records(u)
            graph.apply(u, edge.downstream, core.load(u.tag, edge.downstream), edge)
            unit.commit_records(u)
            s.followed[edge.upstream] = true
        end
    end
end

local function write_names(u, s)
    if next(s.names) ~= nil then unit.hset(u, keys.flow(u.tag, s.flow_id, "names"), s.names) end
end

-- `f` describes the flow: what flow_record.read made of it, or its core; `numbers` hold its new counts.
function submission.write(u, s, f, numbers)
    if s.mode == "create" then
        flow_record.write(u, s.flow_id, f, {
            graph_revision = numbers.graph_revision, node_count = numbers.node_count,
            edge_count = numbers.edge_count, sealed = s.seals and 1 or 0,
        })
    else
        flow_core.set(u, s.flow_id, {
            graph_revision = numbers.graph_revision, node_count = numbers.node_count,
            edge_count = numbers.edge_count, last_mutation_at = u.now, sealed = s.seals and 1 or 0,
        })
        unit.sadd(u, keys.index(u.tag, "flow_index"), s.flow_id)
    end
    for i = 1, #s.nodes do
        write_node(u, s, s.nodes[i], numbers)
    end
    write_names(u, s)
    write_edges(u, s, numbers)
    follow_upstreams(u, s)
    flow.event(u, s.flow_id, s.mode == "create" and "submitted" or "expanded",
        {"nodes", text(#s.nodes), "edges", text(#s.edges)})
    if not s.seals then return end
    flow.event(u, s.flow_id, "sealed", {})
    if s.mode == "expand" then
        f.sealed, f.node_count = "1", text(numbers.node_count)
        flow.finish_if_done(u, s.flow_id, f)
    end
end

return submission
