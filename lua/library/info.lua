-- @function ff_library_info
-- @keys
-- @argv
-- @reply {1,"OK",version,digest}   the digest is the SHA-1 of the text with an empty digest literal
-- @repeat the same answer
registry.add_read_only("ff_library_info", 0, 0, function()
    return {1, "OK", version.number, version.digest}
end)
