-- @function ff_version
-- @keys
-- @argv
-- @reply "1000"                the version of the library, a bare string
-- @repeat the same answer
registry.add_read_only("ff_version", 0, 0, function()
    return version.number
end)
