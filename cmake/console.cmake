# Bundles console/ and makes the result part of the room console. -DFF_CONSOLE=OFF builds a server
# without pages, and needs no Node.
set(console_assets ${PROJECT_BINARY_DIR}/console/assets.cc)
if(NOT FF_CONSOLE)
    file(WRITE ${console_assets}
        "#include \"console/assets.h\"\n\nnamespace ff::console {\n\n"
        "std::span<const Asset> assets() {\n    return {};\n}\n\n}  // namespace ff::console\n")
    target_sources(ff_console PRIVATE ${console_assets})
    return()
endif()

set(console_folder ${PROJECT_SOURCE_DIR}/console)
file(GLOB_RECURSE console_sources CONFIGURE_DEPENDS ${console_folder}/src/*)
add_custom_command(
    OUTPUT ${console_assets}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/get-console-packages.sh $<$<BOOL:${FF_TESTS}>:--tests>
    COMMAND node ${console_folder}/build.mjs ${PROJECT_BINARY_DIR}/console
    DEPENDS ${console_sources} ${console_folder}/build.mjs ${console_folder}/package-lock.json
            ${console_folder}/tsconfig.json ${PROJECT_SOURCE_DIR}/scripts/get-console-packages.sh
    COMMENT "Bundling the web console"
    VERBATIM)
target_sources(ff_console PRIVATE ${console_assets})

if(FF_TESTS)
    add_test(NAME console_unit COMMAND node ${console_folder}/test/unit.mjs ${PROJECT_BINARY_DIR}/console)
    add_test(NAME console_types COMMAND node ${console_folder}/node_modules/typescript/bin/tsc --noEmit WORKING_DIRECTORY ${console_folder})
    add_test(NAME console_lint COMMAND node ${console_folder}/node_modules/@biomejs/biome/bin/biome check . WORKING_DIRECTORY ${console_folder})
    add_test(NAME console_browser COMMAND node ${console_folder}/test/browser.mjs $<TARGET_FILE:flowfabric>)
    add_test(NAME approval_link_browser COMMAND node ${console_folder}/test/links.mjs $<TARGET_FILE:flowfabric>)
    set_tests_properties(approval_link_browser PROPERTIES TIMEOUT 300)
    set_tests_properties(console_unit console_types console_lint PROPERTIES TIMEOUT 120)
    set_tests_properties(console_browser PROPERTIES TIMEOUT 1500)
    # Every page in every theme at every width.
    add_test(NAME console_browser_full COMMAND node ${console_folder}/test/browser.mjs $<TARGET_FILE:flowfabric> axe-core --full)
    set_tests_properties(console_browser_full PROPERTIES TIMEOUT 900 LABELS "soak;full")
endif()
