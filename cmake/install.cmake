# What `make install` installs: the program, the libraries (shared and static), the headers, and what CMake's
# find_package(scree) and pkg-config need to find them. Everything stays right when the whole prefix is moved.
include(CMakePackageConfigHelpers)

foreach(target scree scree_static scree_files scree_files_static scree_show scree_show_static)
  add_library(scree::${target} ALIAS ${target})
endforeach()
add_library(scree::files ALIAS scree_files)
add_library(scree::files_static ALIAS scree_files_static)
add_library(scree::show ALIAS scree_show)
add_library(scree::show_static ALIAS scree_show_static)

install(TARGETS scree_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The libraries are exported apart, because each needs packages that users of the one before may not have. The static libraries
# are made by scree_archive, so the package itself names them (scree-config.cmake.in).
install(TARGETS scree EXPORT scree-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS scree_files EXPORT scree-files-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS scree_show EXPORT scree-show-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_BINARY_DIR}/libscree.a ${PROJECT_BINARY_DIR}/libscree_files.a ${PROJECT_BINARY_DIR}/libscree_show.a
        DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/scree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# Each finds the others beside it, wherever they are put; in the build too, so that copies of them name no folder of this machine.
set_target_properties(scree_files scree_show PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)

# ---- find_package(scree) -------------------------------------------------------------------------------------------
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scree)
install(EXPORT scree-targets NAMESPACE scree:: DESTINATION ${package_dir})
install(EXPORT scree-files-targets NAMESPACE scree:: DESTINATION ${package_dir})
install(EXPORT scree-show-targets NAMESPACE scree:: DESTINATION ${package_dir})
configure_package_config_file(cmake/scree-config.cmake.in ${PROJECT_BINARY_DIR}/scree-config.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO)
# While the first number is 0, the second one says what fits together.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scree-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scree-config.cmake ${PROJECT_BINARY_DIR}/scree-config-version.cmake DESTINATION ${package_dir})

# ---- pkg-config ----------------------------------------------------------------------------------------------------
# The prefix is told relative to the .pc file, so that `cmake --install --prefix` and moved trees work.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
  set(pc_prefix "\${pcfiledir}/${to_prefix}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
foreach(name scree scree_files scree_show)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# ---- Python --------------------------------------------------------------------------------------------------------
# For Debian's python3: dist-packages, which below /usr has another name than below /usr/local. The package finds the libraries by a path
# relative to itself.
set(python /usr/bin/python3)
if(EXISTS ${python})
  execute_process(COMMAND ${python} -c "import sys; print('%d.%d' % sys.version_info[:2])" OUTPUT_VARIABLE python_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/scree/*.py)
  list(FILTER python_files EXCLUDE REGEX "_where.py$")
  list(APPEND python_files ${PROJECT_SOURCE_DIR}/python/scree/py.typed)
  string(REPLACE ";" "\"\n     \"" python_list "${python_files}")
  set(python_list "\"${python_list}\"")
  configure_file(cmake/install-python.cmake.in ${PROJECT_BINARY_DIR}/install-python.cmake @ONLY)
  install(SCRIPT ${PROJECT_BINARY_DIR}/install-python.cmake)
endif()
