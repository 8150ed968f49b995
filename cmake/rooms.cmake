# ff_room(<name> LINE <n> [DEPS <room>...] [LIBS <target>...])
#
# A room is the folder src/<name>, the static library ff_<name> and the namespace ff::<name>.
# Sources and *_test.cc are found by name. A room sees the headers of the rooms it depends on and
# of no other: each room has an include folder of its own that holds one link to its sources.
# A main.cc is no part of the library.

# ff_precompiled(<name> HEADERS <header>... [LIBS <target>...])
function(ff_precompiled name)
    cmake_parse_arguments(P "" "" "HEADERS;LIBS" ${ARGN})
    set(stub ${PROJECT_BINARY_DIR}/${name}.cc)
    if(NOT EXISTS ${stub})
        file(WRITE ${stub} "")
    endif()
    add_library(${name} OBJECT ${stub})
    target_link_libraries(${name} PRIVATE ${P_LIBS})
    target_precompile_headers(${name} PRIVATE ${P_HEADERS})
endfunction()

set(FF_STANDARD_HEADERS
    <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <utility> <variant> <vector>
    <boost/asio/any_io_executor.hpp> <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp>
    <boost/asio/io_context.hpp> <boost/asio/steady_timer.hpp> <boost/asio/use_awaitable.hpp>)
ff_precompiled(ff_pch HEADERS ${FF_STANDARD_HEADERS})
if(FF_TESTS)
    find_package(GTest REQUIRED)
    ff_precompiled(ff_test_pch HEADERS ${FF_STANDARD_HEADERS} <gtest/gtest.h> LIBS GTest::gtest)
    include(GoogleTest)
endif()

# Everything above the store reads these of ours as well, which cost as much as the standard ones.
# Called once the room store is there.
function(ff_precompile_store)
    set(headers ${FF_STANDARD_HEADERS} <boost/asio/as_tuple.hpp> <set> <base/json.h> <base/task.h>
        <model/error_catalogue.h> <model/execution_id.h> <model/execution_policy.h>
        <resp/command.h> <resp/value.h> <store/store.h>)
    ff_precompiled(ff_store_pch HEADERS ${headers} LIBS ff_store)
    if(FF_TESTS)
        ff_precompiled(ff_store_test_pch HEADERS ${headers} <gtest/gtest.h> LIBS ff_store GTest::gtest)
    endif()
endfunction()

# Whether one of the targets is, or is linked to, the room store.
function(ff_sees_store result)
    set(${result} OFF PARENT_SCOPE)
    foreach(target IN LISTS ARGN)
        if(target STREQUAL ff_store)
            set(${result} ON PARENT_SCOPE)
            return()
        elseif(target MATCHES "^ff_" AND TARGET ${target})
            get_target_property(links ${target} LINK_LIBRARIES)
            if(links)
                ff_sees_store(sees ${links})
                if(sees)
                    set(${result} ON PARENT_SCOPE)
                    return()
                endif()
            endif()
        endif()
    endforeach()
endfunction()

# ff_precompile(<target> [TEST]): gives a linked target the precompiled headers it may see.
function(ff_precompile target)
    cmake_parse_arguments(P "TEST" "" "" ${ARGN})
    get_target_property(links ${target} LINK_LIBRARIES)
    ff_sees_store(above_store ${links})
    set(headers ff)
    if(above_store AND TARGET ff_store_pch)
        string(APPEND headers _store)
    endif()
    if(P_TEST)
        string(APPEND headers _test)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${headers}_pch)
endfunction()

function(ff_room name)
    cmake_parse_arguments(ROOM "" "LINE" "DEPS;LIBS" ${ARGN})
    set(folder ${PROJECT_SOURCE_DIR}/src/${name})
    set(target ff_${name})

    foreach(dep IN LISTS ROOM_DEPS)
        get_target_property(dep_line ff_${dep} FF_LINE)
        if(NOT dep_line LESS ROOM_LINE)
            message(FATAL_ERROR "room ${name} (line ${ROOM_LINE}) may not depend on ${dep} (line ${dep_line})")
        endif()
    endforeach()

    file(GLOB everything CONFIGURE_DEPENDS ${folder}/*)
    foreach(file IN LISTS everything)
        if(NOT file MATCHES "\\.(cc|h)$")
            message(FATAL_ERROR "stray file in room ${name}: ${file}")
        endif()
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
    set(tests ${sources})
    list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")

    set(view ${PROJECT_BINARY_DIR}/rooms/${name})
    file(MAKE_DIRECTORY ${view})
    file(CREATE_LINK ${folder} ${view}/${name} SYMBOLIC)

    add_library(${target} STATIC ${sources})
    set_target_properties(${target} PROPERTIES FF_LINE ${ROOM_LINE})
    target_include_directories(${target} PUBLIC ${view})
    list(TRANSFORM ROOM_DEPS PREPEND ff_ OUTPUT_VARIABLE dep_targets)
    target_link_libraries(${target} PUBLIC ${dep_targets} PRIVATE ${ROOM_LIBS})
    ff_precompile(${target})
    # Every task passes many times through the rooms up to the scheduler. Above it a request passes
    # once, and optimising those rooms anew for each program took longer than compiling them.
    if(FF_LTO AND ROOM_LINE LESS 6)
        target_compile_options(${target} PRIVATE -flto=thin)
    endif()

    if(FF_TESTS AND tests)
        ff_test(${target}_test SOURCES ${tests} DEPS ${target} LIBS ${ROOM_LIBS})
    endif()
endfunction()

# ff_test(<target> SOURCES <file>... DEPS <target>... [LIBS <target>...] [TIMEOUT <s>] [LABELS <l>...]
#         [PREFIX <text>] [WHOLE])
# Every TEST of the sources becomes one ctest entry; WHOLE makes the program one entry instead, for
# suites whose cases share an expensive fixture. PREFIX is put before the names of the entries.
# A sanitized program has three times as long.
function(ff_test target)
    cmake_parse_arguments(T "WHOLE" "TIMEOUT;PREFIX" "SOURCES;DEPS;LIBS;LABELS" ${ARGN})
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 60)
    endif()
    if(FF_SANITIZE)
        math(EXPR T_TIMEOUT "3 * ${T_TIMEOUT}")
    endif()
    add_executable(${target} ${T_SOURCES})
    target_link_libraries(${target} PRIVATE ${T_DEPS} ${T_LIBS} GTest::gtest GTest::gtest_main)
    ff_precompile(${target} TEST)
    if(T_WHOLE)
        add_test(NAME ${target} COMMAND ${target})
        set_tests_properties(${target} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
    else()
        gtest_discover_tests(${target} DISCOVERY_TIMEOUT 30 TEST_PREFIX "${T_PREFIX}"
            PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
    endif()
endfunction()
