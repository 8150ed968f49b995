# Joins lua/ into the one library text and makes it part of the room model.
#
# Included by CMakeLists.txt it adds the build step; run as a script (cmake -P) it is that step:
#   -DLUA_FOLDER=lua -DOUT_TEXT=flowfabric.lua -DOUT_SOURCE=library_text.cc

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(lua_text ${PROJECT_BINARY_DIR}/flowfabric.lua)
    set(lua_source ${PROJECT_BINARY_DIR}/library_text.cc)
    file(GLOB_RECURSE lua_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/*.lua)
    add_custom_command(
        OUTPUT ${lua_text} ${lua_source}
        COMMAND ${CMAKE_COMMAND} -DLUA_FOLDER=${PROJECT_SOURCE_DIR}/lua -DOUT_TEXT=${lua_text}
                -DOUT_SOURCE=${lua_source} -P ${CMAKE_CURRENT_LIST_FILE}
        DEPENDS ${lua_files} ${PROJECT_SOURCE_DIR}/lua/order.txt ${CMAKE_CURRENT_LIST_FILE}
        VERBATIM)
    target_sources(ff_model PRIVATE ${lua_source})
    return()
endif()

cmake_minimum_required(VERSION 3.25)
file(STRINGS ${LUA_FOLDER}/order.txt order REGEX "^[^#]")
file(GLOB_RECURSE present RELATIVE ${LUA_FOLDER} ${LUA_FOLDER}/*.lua)
foreach(name IN LISTS present)
    if(NOT name IN_LIST order)
        message(FATAL_ERROR "lua/${name} is not listed in lua/order.txt")
    endif()
endforeach()

# Tables of lib/ may use each other, so all their names are declared before the first is filled.
set(tables "")
foreach(name IN LISTS order)
    if(name MATCHES "^lib/(.*)\\.lua$" AND NOT CMAKE_MATCH_1 STREQUAL "prelude")
        list(APPEND tables ${CMAKE_MATCH_1})
    endif()
endforeach()
list(JOIN tables ", " tables)

set(pieces "#!lua name=flowfabric\n")
set(piece_count 1)
set(piece_1 "${pieces}")
foreach(name IN LISTS order)
    file(READ ${LUA_FOLDER}/${name} content)
    if(name STREQUAL "lib/prelude.lua")
        set(piece "\n-- lua/${name}\n${content}\nlocal ${tables}\n")
    elseif(name MATCHES "^lib/(.*)\\.lua$")
        set(piece "\n-- lua/${name}\n${CMAKE_MATCH_1} = (function()\n${content}end)()\n")
    else()
        set(piece "\n-- lua/${name}\ndo\n${content}end\n")
    endif()
    math(EXPR piece_count "${piece_count} + 1")
    set(piece_${piece_count} "${piece}")
    string(APPEND pieces "${piece}")
endforeach()

string(REGEX MATCH "number = \"([0-9]+)\"" found "${pieces}")
set(version ${CMAKE_MATCH_1})
string(FIND "${pieces}" "digest = \"\"," digest_at)
if(NOT version OR digest_at EQUAL -1)
    message(FATAL_ERROR "lua/lib/version.lua holds no version or no empty digest")
endif()
string(SHA1 digest "${pieces}")
string(REPLACE "digest = \"\"," "digest = \"${digest}\"," text "${pieces}")
file(WRITE ${OUT_TEXT} "${text}")

# One literal per file: compilers limit the length of a single one.
set(source "#include \"model/library_text.h\"\n\nnamespace ff::model::library {\n\n")
# `sv` knows its length: counting a whole library is more than a compiler does for a constant.
string(APPEND source "using std::operator\"\"sv;\n")
string(APPEND source "const std::string_view kVersion = \"${version}\";\n")
string(APPEND source "const std::string_view kDigest = \"${digest}\";\n")
string(APPEND source "static constexpr std::string_view kFiles[] = {\n")
foreach(i RANGE 1 ${piece_count})
    string(REPLACE "digest = \"\"," "digest = \"${digest}\"," piece "${piece_${i}}")
    string(APPEND source "R\"lua(${piece})lua\"sv,\n")
endforeach()
string(APPEND source "};\nconst std::span<const std::string_view> kPieces = kFiles;\n\n")
string(APPEND source "}  // namespace ff::model::library\n")
file(WRITE ${OUT_SOURCE} "${source}")
