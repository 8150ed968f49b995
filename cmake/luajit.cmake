# The LuaJIT that the embedded store runs on: target ff_luajit, version FF_LUAJIT_VERSION.
#
# It is linked into the program: the host calls it some hundred times for one task, and such calls are
# cheaper without a table of addresses in between. scripts/get-luajit.sh builds the pinned one.
set(FF_LUAJIT_ROOT ${PROJECT_SOURCE_DIR}/.tools/luajit CACHE PATH
    "Folder with lib/libluajit.a and include/luajit.h")
set(FF_LUAJIT_ARCHIVE ${FF_LUAJIT_ROOT}/lib/libluajit.a)
set(FF_LUAJIT_PROGRAMS ${PROJECT_SOURCE_DIR}/cmake/luajit)
if(NOT EXISTS ${FF_LUAJIT_ARCHIVE})
    message(FATAL_ERROR "No LuaJIT in ${FF_LUAJIT_ROOT}: run scripts/get-luajit.sh")
endif()

add_library(ff_luajit INTERFACE)
target_include_directories(ff_luajit SYSTEM INTERFACE ${FF_LUAJIT_ROOT}/include)
target_link_libraries(ff_luajit INTERFACE ${FF_LUAJIT_ARCHIVE} m ${CMAKE_DL_LIBS})

# A compiler that loses an entry of a table loses an acknowledged execution, so it has to survive a few
# programs that earlier ones did not. They run again only when the archive has changed.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FF_LUAJIT_ARCHIVE})
file(SHA256 ${FF_LUAJIT_ARCHIVE} digest)
if(NOT FF_LUAJIT_CHECKED STREQUAL digest)
    file(GLOB programs ${FF_LUAJIT_PROGRAMS}/*.lua)
    try_run(failures compiled ${PROJECT_BINARY_DIR}/luajit ${FF_LUAJIT_PROGRAMS}/check.cc
        CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${FF_LUAJIT_ROOT}/include
        LINK_LIBRARIES ${FF_LUAJIT_ARCHIVE} m ${CMAKE_DL_LIBS}
        COMPILE_OUTPUT_VARIABLE compile_output RUN_OUTPUT_VARIABLE output ARGS ${programs})
    if(NOT compiled)
        message(FATAL_ERROR "cannot link ${FF_LUAJIT_ARCHIVE}:\n${compile_output}")
    elseif(NOT failures EQUAL 0)
        message(FATAL_ERROR "${FF_LUAJIT_ARCHIVE} is not to be trusted, it fails programs of "
                            "cmake/luajit. Use the one of scripts/get-luajit.sh.\n${output}")
    endif()
    string(REGEX MATCH "LuaJIT ([^\n]*)" found "${output}")
    set(FF_LUAJIT_VERSION "${CMAKE_MATCH_1}" CACHE INTERNAL "Version of the checked LuaJIT")
    set(FF_LUAJIT_CHECKED ${digest} CACHE INTERNAL "Digest of the checked LuaJIT")
    message(STATUS "LuaJIT ${FF_LUAJIT_VERSION}: all programs of cmake/luajit pass")
endif()
