-- Commands that gather members: those with the same name and key become one. Calls touch the same few
-- indexes again and again, so the command of each key is kept and filled anew; `n` is its length, `round`
-- the writing it belongs to, `waits` whether it has not been issued yet. Long ones are not kept, nor are
-- too many.
local gathering = {}

local KEPT_MAX = 512
local KEPT_LENGTH_MAX = 128
local commands, commands_count = {}, 0
local rounds = 0

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
    command = {nil, nil, nil, nil, n = 0, round = 0, waits = true}
    commands[key] = command
    return command
end

function gathering.add(list, round, name, key, first, second)
    local command = commands[key]
    local size = 2
    if command and command.round == round and command[1] == name then
        size = command.n
    else
        command = command_for(key)
        command[1], command[2], command.round, command.waits = name, key, round, true
        list[#list + 1] = command
    end
    command[size + 1] = first
    if second then
        command[size + 2] = second
        command.n = size + 2
    else
        command.n = size + 1
    end
end

-- After it was issued.
function gathering.settle(command)
    command.waits = false
    if command.n > KEPT_LENGTH_MAX and commands[command[2]] == command then
        commands[command[2]] = nil
        commands_count = commands_count - 1
    end
end

return gathering
