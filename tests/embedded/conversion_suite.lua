#!lua name=conversion
-- Every function and conversion the host offers. The test calls each of these on Valkey and on the
-- embedded store with KEYS <name>{x}, <name>:2{x} and compares the replies to the byte, error texts
-- with their line numbers included. A call in tail position hides its place
-- from the embedded store, so no function here ends with one that fails.

local function suite(name, callback)
    redis.register_function(name, callback)
end

-- What redis.call gives to Lua.
suite('reply_types', function(keys)
    local status = redis.call('SET', keys[1], 'v')
    local out = {type(status), status.ok, type(redis.call('GET', keys[2])), tostring(redis.call('GET', keys[2]))}
    out[#out + 1] = type(redis.call('STRLEN', keys[1]))
    out[#out + 1] = redis.call('GET', keys[1])
    out[#out + 1] = type(redis.call('TIME')[1])
    return out
end)
suite('hash_is_flat', function(keys)
    redis.call('HSET', keys[1], 'f', 'v')
    local all = redis.call('HGETALL', keys[1])
    return {#all, all[1], all[2], redis.call('HMGET', keys[1], 'f', 'none', 'f')}
end)
suite('empty_aggregates', function(keys)
    return {redis.call('HGETALL', keys[1]), redis.call('SMEMBERS', keys[1]), redis.call('ZRANGE', keys[1], 0, -1),
        redis.call('LRANGE', keys[1], 0, -1), redis.call('XRANGE', keys[1], '-', '+')}
end)
suite('scores_are_text', function(keys)
    redis.call('ZADD', keys[1], 1.5, 'a', '-8998300000000000', 'b', 'inf', 'c', 3, 'd')
    return {redis.call('ZRANGE', keys[1], 0, -1, 'WITHSCORES'), redis.call('ZSCORE', keys[1], 'b'),
        redis.call('ZSCORE', keys[1], 'none'), type(redis.call('ZSCORE', keys[1], 'a'))}
end)
suite('entries_nest', function(keys)
    redis.call('XADD', keys[1], '1-1', 'f', 'v', 'g', 'w')
    redis.call('XADD', keys[1], '2-0', 'f', '')
    local entries = redis.call('XRANGE', keys[1], '-', '+')
    return {#entries, entries[1][1], entries[1][2], entries, redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)}
end)
suite('scan_shape', function(keys)
    redis.call('SADD', keys[1], 'm')
    local reply = redis.call('SSCAN', keys[1], 0, 'COUNT', 100)
    return reply
end)
suite('multi_bulk_with_holes', function(keys)
    local reply = redis.call('HMGET', keys[1], 'a', 'b', 'c')
    return reply
end)

-- Arguments of redis.call.
suite('number_arguments', function(keys)
    local numbers = {0, 1, -5, 0.1, 3.5, -2.25, 1 / 3, 1e8, 1e15, 1e17, 1e18, 9.3e18, 1e19, 1e20, 2 ^ 53, 2 ^ 63, -2 ^ 63,
        -2 ^ 64, 1e100, 1.5e300, 5e-324, 1e-5, 1e-7, 123456.789, 12345678901234567890, 1 / 0, -1 / 0, 100000.5}
    local out = {}
    for i, number in ipairs(numbers) do
        redis.call('SET', keys[1], number)
        out[i] = redis.call('GET', keys[1])
    end
    return out
end)
suite('number_as_field', function(keys)
    redis.call('HSET', keys[1], 5, 1.5)
    local reply = redis.call('HGETALL', keys[1])
    return reply
end)
suite('names_in_any_case', function(keys)
    redis.call('sEt', keys[1], 'v')
    return {redis.call('get', keys[1]), redis.call('GET', keys[1]), redis.call('GeT', keys[1])}
end)
suite('binary_safe', function(keys)
    local bytes = {}
    for i = 0, 255 do
        bytes[#bytes + 1] = string.char(i)
    end
    local all = table.concat(bytes)
    redis.call('SET', keys[1], all)
    return {redis.call('GET', keys[1]), redis.call('GET', keys[1]) == all, #all, all .. '\0' .. all}
end)
suite('seven_thousand_arguments', function(keys)
    local members = {}
    for i = 1, 7000 do
        members[i] = 'm' .. i
    end
    return {redis.call('SADD', keys[1], unpack(members)), redis.call('SCARD', keys[1])}
end)

-- Refusals of redis.call, and of redis.pcall.
suite('call_nothing', function() local reply = redis.call() return reply end)
suite('call_unknown', function() local reply = redis.call('nosuch', 'x') return reply end)
suite('call_number_name', function() local reply = redis.call(12) return reply end)
suite('call_arity', function(keys) local reply = redis.call('HGET', keys[1]) return reply end)
suite('call_table', function(keys) local reply = redis.call('SET', keys[1], {}) return reply end)
suite('call_nil', function(keys) local reply = redis.call('SET', keys[1], nil) return reply end)
suite('call_boolean', function(keys) local reply = redis.call('SET', keys[1], true) return reply end)
suite('call_wrong_type', function(keys)
    redis.call('SET', keys[1], 'x')
    local reply = redis.call('HGET', keys[1], 'f')
    return reply
end)
suite('call_syntax', function(keys) local reply = redis.call('SET', keys[1], 'v', 'zz') return reply end)
suite('call_not_integer', function(keys)
    redis.call('HSET', keys[1], 'f', 'x')
    local reply = redis.call('HINCRBY', keys[1], 'f', 1)
    return reply
end)
suite('pcall_nothing', function() local reply = redis.pcall() return reply end)
suite('pcall_unknown', function() local reply = redis.pcall('nosuch') return reply end)
suite('pcall_table', function(keys) local reply = redis.pcall('SET', keys[1], {}) return reply end)
suite('pcall_error_is_a_table', function(keys)
    local refused = redis.pcall('HGET', keys[1])
    return {type(refused), refused.err, tostring(refused.ok), tostring(refused.source), tostring(refused.line)}
end)
suite('pcall_good', function(keys) local reply = redis.pcall('SET', keys[1], 'v') return reply end)
suite('lua_pcall_of_call', function(keys)
    local fine, why = pcall(redis.call, 'HGET', keys[1])
    return {tostring(fine), type(why), why}
end)
suite('lua_pcall_of_lua', function()
    local fine, why = pcall(function() local x; x.y = 1 end)
    return {tostring(fine), type(why), why}
end)
suite('lua_pcall_values', function()
    local all = {pcall(function(...) return 1, nil, 3, ... end, 'more')}
    return {tostring(all[1]), all[2], tostring(all[3]), all[4], all[5], select('#', pcall(function() end))}
end)
suite('raise_again_text', function()
    local _, why = pcall(redis.call, 'nosuch')
    error(why)
end)
suite('raise_again_table', function() error(redis.pcall('nosuch')) end)
suite('writes_before_an_error_stay', function(keys)
    redis.call('SET', keys[1], 'kept')
    error('after one write')
end)
suite('undeclared_key_of_the_slot', function() local reply = redis.call('GET', 'other{x}') return reply end)

-- Errors of Lua itself, with their places.
suite('error_text', function() error('boom') end)
suite('error_text_without_place', function() error('boom', 0) end)
suite('error_number', function() error(5) end)
suite('error_nil', function() error() end)
suite('error_table', function() error({err = 'MYERR boom'}) end)
suite('error_deep', function()
    local function deeper()
        error('deep')
    end
    deeper()
end)
suite('index_nil', function() local x; return x.y end)
suite('call_nil_field', function() local reply = redis.nosuch() return reply end)
suite('arithmetic_on_nil', function() local x; return x + 1 end)
suite('compare_mixed', function() return 1 < 'x' end)
suite('concat_nil', function() local x; return 'x' .. x end)
suite('assert_text', function() assert(false, 'asserted') end)
suite('assert_bare', function() assert(nil) end)
suite('assert_passes', function() return {assert(1, 2, 3)} end)
suite('bad_argument', function() local reply = string.rep() return reply end)
suite('bad_self_argument', function() local reply = ('x'):rep({}) return reply end)

-- Globals.
suite('global_write', function() undefined_name = 1 end)
suite('global_read', function() return undefined_name end)
suite('global_overwrite', function() redis = 1 end)
suite('library_overwrite', function() string.len = 1 end)
suite('redis_overwrite', function() redis.call = 1 end)
suite('cjson_overwrite', function() cjson.encode = 1 end)
suite('register_in_a_call', function() redis.register_function('x', function() end) end)
suite('no_print', function() return print end)
suite('no_io', function() return io end)
suite('no_require', function() return require end)

-- What a function returns.
suite('return_nothing', function() end)
suite('return_nil', function() return nil end)
suite('return_true', function() return true end)
suite('return_false', function() return false end)
suite('return_text', function() return 'text' end)
suite('return_empty_text', function() return '' end)
suite('return_number', function() return 3.99 end)
suite('return_negative', function() return -3.99 end)
suite('return_large', function() return {9007199254740993, 1e300, -1e300, 1 / 0, -1 / 0, 2 ^ 63, -2 ^ 63, 2 ^ 62} end)
suite('return_nested', function() return {1, 2, {3, 'x', {}, false, true, 3.99, -3.99, nil, 5}} end)
suite('return_empty', function() return {} end)
suite('return_fields_only', function() return {a = 1, b = 2} end)
suite('return_status', function() return {ok = 'FINE'} end)
suite('return_error', function() return {err = 'BAD thing'} end)
suite('return_nested_error', function() return {1, {err = 'X y'}, {ok = 'fine'}} end)
suite('return_status_number', function() return {ok = 5} end)
suite('return_double', function() return {double = 3.25} end)
suite('return_map', function() return {map = {a = 1}} end)
suite('return_set', function() return {set = {a = true}} end)
suite('return_function', function() return function() end end)
suite('return_deep', function()
    local root = {}
    local at = root
    for _ = 1, 50 do
        at[1] = {}
        at = at[1]
    end
    return root
end)
suite('return_many', function() return 'first', 'second' end)

-- redis.error_reply, status_reply, sha1hex, log.
suite('error_reply', function(_, args) local reply = redis.error_reply(args[1]) return reply end)
suite('error_reply_is_a_table', function(_, args)
    local made = redis.error_reply(args[1])
    return {type(made), made.err}
end)
suite('error_reply_two', function() local reply = redis.error_reply('a', 'b') return reply end)
suite('error_reply_number', function() local reply = redis.error_reply(5) return reply end)
suite('error_table_given', function(_, args) return {err = args[1]} end)
suite('status_reply', function(_, args) local reply = redis.status_reply(args[1]) return reply end)
suite('status_reply_nothing', function() local reply = redis.status_reply() return reply end)
suite('sha1', function(_, args) local reply = redis.sha1hex(args[1]) return reply end)
suite('sha1_number', function() local reply = redis.sha1hex(12) return reply end)
suite('sha1_nothing', function() local reply = redis.sha1hex() return reply end)
suite('log_levels', function()
    return {redis.LOG_DEBUG, redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.LOG_WARNING, redis.log(redis.LOG_DEBUG, 'x', 5)}
end)
suite('log_short', function() local reply = redis.log('x') return reply end)
suite('log_level_text', function() local reply = redis.log('x', 'y') return reply end)
suite('log_level_range', function() local reply = redis.log(10, 'x') return reply end)

-- Arguments of functions.
suite('arguments_arrive', function(keys, args) return {#keys, keys[1], #args, args[1], type(keys), tostring(keys[9])} end)
suite('second_argument_list', function(...) return {select('#', ...)} end)

-- Flags.
redis.register_function{function_name = 'read_only', callback = function(keys) local reply = redis.call('GET', keys[1]) return reply end, flags = {'no-writes'}}
redis.register_function{function_name = 'read_only_writes', callback = function(keys) local reply = redis.call('SET', keys[1], 'v') return reply end, flags = {'no-writes'}}
redis.register_function{function_name = 'read_only_publishes', callback = function() local reply = redis.call('PUBLISH', 'c', 'm') return reply end, flags = {'no-writes'}}
redis.register_function{function_name = 'described', description = 'says what it does', callback = function() return 'd' end}
suite('publishes_to_nobody', function() local reply = redis.call('PUBLISH', 'c', 'm') return reply end)
