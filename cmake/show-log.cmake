# cmake -P show-log.cmake FILE: prints a file and fails. For a command whose words went there.
math(EXPR last "${CMAKE_ARGC} - 1")
file(READ ${CMAKE_ARGV${last}} text)
message("${text}")
message(FATAL_ERROR "it failed")
