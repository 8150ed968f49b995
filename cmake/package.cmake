# One archive of all rooms for applications that link FlowFabric, the headers they include, and what
# find_package(flowfabric) reads. Install from the `package` preset: objects of the `release` preset
# are made for the linker of that build alone.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
set(room_objects)
foreach(target IN LISTS targets)
    get_target_property(line ${target} FF_LINE)
    if(NOT line STREQUAL "line-NOTFOUND")
        list(APPEND room_objects $<TARGET_OBJECTS:${target}>)
    endif()
endforeach()

add_library(flowfabric_library STATIC ${room_objects})
add_library(flowfabric::flowfabric ALIAS flowfabric_library)
set_target_properties(flowfabric_library PROPERTIES
    OUTPUT_NAME flowfabric EXPORT_NAME flowfabric LINKER_LANGUAGE CXX)
target_compile_features(flowfabric_library INTERFACE cxx_std_20)
target_include_directories(flowfabric_library INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(flowfabric_library INTERFACE
    OpenSSL::SSL OpenSSL::Crypto Threads::Threads date::date-tz
    $<BUILD_INTERFACE:ff_luajit> $<BUILD_INTERFACE:PkgConfig::PROMETHEUS>
    $<INSTALL_INTERFACE:flowfabric::luajit> $<INSTALL_INTERFACE:PkgConfig::FF_PROMETHEUS>)

set(FF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/flowfabric)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/flowfabricConfig.cmake.in
    ${PROJECT_BINARY_DIR}/flowfabricConfig.cmake INSTALL_DESTINATION ${FF_PACKAGE_DIR}
    PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flowfabricConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(TARGETS flowfabric_library EXPORT flowfabricTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${FF_LUAJIT_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libflowfabric-luajit.a)
install(TARGETS flowfabric RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/flowfabric
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT flowfabricTargets NAMESPACE flowfabric:: DESTINATION ${FF_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/flowfabricConfig.cmake
    ${PROJECT_BINARY_DIR}/flowfabricConfigVersion.cmake DESTINATION ${FF_PACKAGE_DIR})
