# Flags and third-party packages that every target shares. One set for all, so that the
# precompiled headers can be shared too.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Precompiled headers are cacheable only with these settings. What one checkout compiled is never
# handed to another: a precompiled header names the files of the checkout that made it.
find_program(CCACHE ccache)
if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi -Werror
    -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A time stamp inside a precompiled header would defeat ccache as well.
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp" -fcolor-diagnostics)
    add_link_options(-fuse-ld=lld-19)
    if(FF_LTO)
        # Here optimising is the linker's work: what one program or an earlier link has done is kept
        # for the next.
        add_link_options(-flto=thin -Wl,--thinlto-cache-dir=${PROJECT_BINARY_DIR}/lto
                         -Wl,--thinlto-cache-policy=prune_after=168h:cache_size_bytes=1g)
    endif()
else()
    # g++ 12 reports Asio's awaitable frames and std::string moves it does not understand, and what
    # the macros of gtest shadow; clang looks for shadowed names in our own code.
    add_compile_options(-Wno-shadow -Wno-maybe-uninitialized -Wno-mismatched-new-delete -Wno-restrict
                        -Wno-array-bounds -Wno-stringop-overflow -fcoroutines)
endif()
if(FF_SANITIZE)
    add_compile_options(-fsanitize=${FF_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${FF_SANITIZE})
    add_compile_definitions(FF_SANITIZED=1)
endif()

if(FF_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_compile_definitions(
    BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(date REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
