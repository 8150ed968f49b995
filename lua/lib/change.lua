-- Changes of cores, collected in the unit of a call (lib/unit.lua).
local change = {}

-- The fields to set on a core, written with one HSET that also stamps last_mutation_at.
-- `loaded` is the record as it was read: what it says already is not written again, because every field
-- of an HSET costs the store a walk through the record. A second change cannot rely on it: the first
-- leaves its mark at [1]. Nor may `loaded` be altered before the commit. Without it everything is written.
-- `room`: where `fields` go, empty, when they are written; nobody may look at them any more then.
function change.core(u, e, loaded, fields, room)
    local set, cores = fields or {}, u.cores
    set.last_mutation_at = u.now
    local size = cores.n
    cores.n = size + 4
    cores[size + 1] = e
    cores[size + 2] = set
    cores[size + 3] = loaded and not loaded[1] and loaded or false
    cores[size + 4] = room or false
    if loaded and loaded ~= change.NEW then loaded[1] = true end
    return set
end

-- What is known of a record that is being made: nothing.
change.NEW = {}

-- Nobody looks at the last change of a core, which has a room, any more: what it has to write is noted value by value, so that
-- the next one of a batch may have its table, and that of the record as it was read.
function change.settle(u)
    local cores = u.cores
    local at = cores.n - 3
    local size = issue.drain(cores, at + 1, cores[at + 1], cores[at + 2], cores[at + 3])
    cores[at + 1] = size - at - 1
    cores.n = size
end

-- A change of a core in the list is its execution, the fields, the record and the room; a settled one its
-- execution, how many values follow, and those.
function change.issue(u)
    local cores, at = u.cores, 1
    local size = cores.n
    while at <= size do
        local e, what = cores[at], cores[at + 1]
        if type(what) == "number" then
            issue.values("HSET", keys.execution_head(u.tag), cores, at + 2, at + 1 + what, e, ":core")
            at = at + 2 + what
        else
            issue.changes(keys.core(u.tag, e), what, cores[at + 2], cores[at + 3])
            at = at + 4
        end
    end
    for i = 1, size do
        cores[i] = nil
    end
    cores.n = 0
end

return change
