# Man pages and completion for bash and zsh: the program prints them from the tables of its own options (cli/help.c), so that
# they cannot differ from --help. A program for another machine cannot be asked, and one with
# sanitizers not everywhere (tools/test): then they are left out.
if(CMAKE_CROSSCOMPILING OR SCREE_SANITIZE OR SCREE_FUZZ)
  return()
endif()

set(told_folder ${PROJECT_BINARY_DIR}/man)
set(told_commands bench contacts convert demo film levels measure pack picture plan resume run view)
set(told_files ${told_folder}/scree.1 ${told_folder}/scree.bash ${told_folder}/_scree)
foreach(name ${told_commands})
  list(APPEND told_files ${told_folder}/scree-${name}.1)
endforeach()
add_custom_command(OUTPUT ${told_files}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:scree_program> -DFOLDER=${told_folder} "-DCOMMANDS=${told_commands}"
          -P ${PROJECT_SOURCE_DIR}/cmake/write-manual.cmake
  DEPENDS scree_program ${PROJECT_SOURCE_DIR}/cmake/write-manual.cmake COMMENT "Writing man pages and completion" VERBATIM)
add_custom_target(scree_manual ALL DEPENDS ${told_files})

install(DIRECTORY ${told_folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${told_folder}/scree.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME scree)
install(FILES ${told_folder}/_scree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
