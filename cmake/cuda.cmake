# The module of CUDA, libscree_cuda.so: opened at run time by those who ask for a GPU, so that nothing else needs CUDA or C++ (docs/gpu.md). SCREE_CUDA=AUTO builds it where nvcc is found.
set(SCREE_CUDA AUTO CACHE STRING "Build the module for NVIDIA GPUs: AUTO (if nvcc is found), ON, OFF")
set(SCREE_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities that get machine code; newer and older ones from 80 on are compiled by the driver")
option(SCREE_CUDA_PTX "Code for the driver to compile too, for other chips; tests on one machine do without" ON)
find_program(SCREE_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT SCREE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SCREE_CUDA is ${SCREE_CUDA}; AUTO, ON or OFF was expected")
endif()
if(SCREE_CUDA STREQUAL "ON" AND NOT SCREE_NVCC)
  message(FATAL_ERROR "SCREE_CUDA is ON, and nvcc was not found; put it on the path, or set SCREE_NVCC")
endif()
set(scree_has_cuda FALSE)
if(SCREE_NVCC AND NOT SCREE_CUDA STREQUAL "OFF" AND NOT SCREE_SANITIZE)
  set(scree_has_cuda TRUE)
endif()

if(scree_has_cuda)
  # -fmad=false: as -ffp-contract=off of the other compiler, for the same bits. ptxas tells registers and spills, for the test build_spills.
  set(nvcc_flags -std=c++20 -O3 -fmad=false -Xptxas -v -Xcompiler -fPIC,-fvisibility=hidden,-ffp-contract=off,-Wall -Werror all-warnings
      -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include)
  if(SCREE_CUDA_PTX)
    list(APPEND nvcc_flags -gencode arch=compute_80,code=compute_80)
  endif()
  foreach(architecture ${SCREE_CUDA_ARCHITECTURES})
    list(APPEND nvcc_flags -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  set(cuda_objects)
  foreach(name module sorts)
    set(object ${PROJECT_BINARY_DIR}/cuda_${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${SCREE_NVCC} ${nvcc_flags} -MD -MF ${object}.d -MT ${object} -c ${PROJECT_SOURCE_DIR}/src/device/cuda/${name}.cu -o ${object} 2> cuda_${name}.log
              || ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/show-log.cmake cuda_${name}.log
      DEPENDS src/device/cuda/${name}.cu DEPFILE ${object}.d COMMENT "Compiling src/device/cuda/${name}.cu" VERBATIM)
    list(APPEND cuda_objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/libscree_cuda.so
    COMMAND ${SCREE_NVCC} -shared -cudart static -o libscree_cuda.so ${cuda_objects}
    DEPENDS ${cuda_objects} COMMENT "Linking libscree_cuda.so" VERBATIM)
  add_custom_target(scree_cuda ALL DEPENDS ${PROJECT_BINARY_DIR}/libscree_cuda.so)
  install(FILES ${PROJECT_BINARY_DIR}/libscree_cuda.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
