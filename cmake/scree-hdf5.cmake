# Finds HDF5's C library as scree::hdf5, for the build and for who uses the installed static library. CMake's own module needs the C
# language and brings along what HDF5 itself is linked to; one header and one library are all that is wanted here.
# Debian keeps the serial one apart. Where it is not found, there is no such target.
if(NOT TARGET scree::hdf5)
  find_path(SCREE_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(SCREE_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  mark_as_advanced(SCREE_HDF5_INCLUDE_DIR SCREE_HDF5_LIBRARY)
  if(SCREE_HDF5_INCLUDE_DIR AND SCREE_HDF5_LIBRARY)
    add_library(scree::hdf5 UNKNOWN IMPORTED)
    set_target_properties(scree::hdf5 PROPERTIES IMPORTED_LOCATION "${SCREE_HDF5_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${SCREE_HDF5_INCLUDE_DIR}")
  endif()
endif()
