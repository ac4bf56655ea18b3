# Man pages and completion for bash and zsh: the program prints them from the tables of its own options (cli/help.c), so that
# they cannot differ from --help. A program for another machine cannot be asked, and one with
# sanitizers not everywhere (tools/test): then they are left out.
install(FILES ${PROJECT_SOURCE_DIR}/cli/output.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/scree)  # of the JSON that commands print
if(CMAKE_CROSSCOMPILING OR SCREE_SANITIZE OR SCREE_FUZZ)
  return()
endif()

set(manual_folder ${PROJECT_BINARY_DIR}/man)
set(manual_commands bench compare contacts convert demo film levels measure pack pack-rsa pack-drop pack-rearrange pack-grow pack-dem pack-hierarchical picture plan resume run sweep view)
set(manual_files ${manual_folder}/scree.1 ${manual_folder}/scree.bash ${manual_folder}/_scree)
foreach(name ${manual_commands})
  list(APPEND manual_files ${manual_folder}/scree-${name}.1)
endforeach()
add_custom_command(OUTPUT ${manual_files}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:scree_program> -DFOLDER=${manual_folder} "-DCOMMANDS=${manual_commands}"
          -P ${PROJECT_SOURCE_DIR}/cmake/write-manual.cmake
  DEPENDS scree_program ${PROJECT_SOURCE_DIR}/cmake/write-manual.cmake COMMENT "Writing man pages and completion" VERBATIM)
add_custom_target(scree_manual ALL DEPENDS ${manual_files})

install(DIRECTORY ${manual_folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${manual_folder}/scree.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME scree)
install(FILES ${manual_folder}/_scree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
