-- The one place where the version is written: the build takes it from here and puts the SHA-1 of the
-- assembled text, computed while the literal is empty, between the quotes of `digest`.
local version = {
    number = "1004",
    digest = "",
}

return version
