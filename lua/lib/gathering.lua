-- Commands that gather members: those with the same name and key become one. Calls touch the same few
-- indexes again and again, so the command of each key is kept and filled anew: `n` is how many `values` it
-- has, `round` the writing it belongs to, `waits` whether it has not been issued yet. The arrays of values
-- go from command to command.
local gathering = {}

local KEPT_MAX = 512
local commands, commands_count = {}, 0
local rounds = 0

-- Arrays that no command has now; what a long one holds would stay in memory for nothing.
local VALUES = room.new()
local KEPT_LENGTH_MAX = 512

-- A number for one writing of one list: what is gathered under it goes into the same commands.
function gathering.next_round()
    rounds = rounds + 1
    return rounds
end

local function command_for(key)
    local command = commands[key]
    if command and not command.waits then return command end
    if not command then
        if commands_count == KEPT_MAX then
            commands, commands_count = {}, 0
        end
        commands_count = commands_count + 1
    end
    command = {name = false, key = key, values = false, n = 0, round = 0, waits = true}
    commands[key] = command
    return command
end

local function begin(list, round, name, key)
    local command = command_for(key)
    command.values = room.take(VALUES) or {nil, nil, nil, nil}
    command.name, command.round, command.waits, command.n = name, round, true, 0
    local size = list.n + 1
    list.n = size
    list[size] = command
    return command
end

function gathering.add(list, round, name, key, first, second)
    local command = commands[key]
    if not command or command.round ~= round or command.name ~= name then
        command = begin(list, round, name, key)
    end
    local values, size = command.values, command.n + 1
    values[size] = first
    if second then
        size = size + 1
        values[size] = second
    end
    command.n = size
end

-- After it was issued.
function gathering.settle(command)
    if command.n <= KEPT_LENGTH_MAX then room.give(VALUES, command.values) end
    command.waits, command.values = false, false
end

return gathering
