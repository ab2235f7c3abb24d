# SPDX-License-Identifier: Apache-2.0
# What an installed command has besides (completions, man page), and the Debian package that `./dev package` makes of all that is installed.
set(contact "The dalembert maintainers <maintainers@dalembert.invalid>")
if(TARGET dalembert-cli)
  set(of_command "${PROJECT_BINARY_DIR}/command")
  set(made "${of_command}/dalembert" "${of_command}/_dalembert" "${of_command}/dalembert.fish" "${of_command}/dalembert.1.gz")
  add_custom_command(OUTPUT ${made}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${of_command}"
    COMMAND dalembert-cli completion bash > "${of_command}/dalembert"
    COMMAND dalembert-cli completion zsh > "${of_command}/_dalembert"
    COMMAND dalembert-cli completion fish > "${of_command}/dalembert.fish"
    COMMAND dalembert-cli explain man > "${of_command}/dalembert.1"
    COMMAND gzip -9nf "${of_command}/dalembert.1"
    DEPENDS dalembert-cli VERBATIM COMMENT "Completions and man page")
  if(TARGET dalembert-mpi)
    add_custom_command(OUTPUT "${of_command}/dalembert-mpi.1.gz"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${of_command}"
      COMMAND dalembert-mpi explain man > "${of_command}/dalembert-mpi.1"
      COMMAND gzip -9nf "${of_command}/dalembert-mpi.1"
      DEPENDS dalembert-mpi VERBATIM COMMENT "Man page of dalembert-mpi")
    list(APPEND made "${of_command}/dalembert-mpi.1.gz")
    install(FILES "${of_command}/dalembert-mpi.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT mpi)
  endif()
  # The version has no Debian revision, so the package is a native one, whose changelog has this name.
  add_custom_command(OUTPUT "${of_command}/changelog.gz"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${of_command}"
    COMMAND "${CMAKE_COMMAND}" "-DCHANGELOG=${PROJECT_SOURCE_DIR}/CHANGELOG.md" "-DCONTACT=${contact}" "-DTARGET=${of_command}/changelog" -P "${PROJECT_SOURCE_DIR}/cmake/DebianChangelog.cmake"
    COMMAND gzip -9nf "${of_command}/changelog"
    DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/cmake/DebianChangelog.cmake" VERBATIM COMMENT "Changelog in the form of Debian")
  list(APPEND made "${of_command}/changelog.gz")
  install(FILES "${of_command}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  add_custom_target(dalembert-command-files ALL DEPENDS ${made})
  install(FILES "${of_command}/dalembert" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${of_command}/_dalembert" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  install(FILES "${of_command}/dalembert.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  install(FILES "${of_command}/dalembert.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

set(CPACK_PACKAGE_NAME dalembert)
set(CPACK_PACKAGE_VENDOR "dalembert")
set(CPACK_PACKAGE_CONTACT "${contact}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "constrained Lagrangian mechanics: equations, multipliers, judged motion")
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "The command dalembert, its C++ library with headers, and its Python module.
A model file states coordinates, energies or bodies, forces and constraints;
dalembert derives the equations of motion, solves for accelerations and
multipliers, simulates on the constraints, analyses, and shows it.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is loaded when it is needed stands in no library's list.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libllvm19, libnlopt0")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libnetcdf19, libsleef3")
if(DALEMBERT_PYTHON)
  # The module is for one version of Python.
  math(EXPR next "${Python3_VERSION_MINOR} + 1")
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc, librsvg2-bin, ffmpeg, g++, cmake, libfmt-dev, libflint-dev, libflint-arb-dev, python3-pandas, python3-scipy")
# dalembert-mpi is a package of its own, so that the other one asks for no MPI.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME dalembert)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
# Debian looks for what a package may be used for under this name.
install(FILES "${PROJECT_BINARY_DIR}/dalembert/NOTICES" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
if(TARGET dalembert-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  install(FILES "${PROJECT_BINARY_DIR}/dalembert/NOTICES" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/dalembert-mpi" RENAME copyright COMPONENT mpi)
  install(FILES "${of_command}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/dalembert-mpi" COMPONENT mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME dalembert-mpi)
  set(CPACK_DEBIAN_MPI_DESCRIPTION "sweeps of dalembert by the processes of MPI")
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "dalembert (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin")
  set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "")
endif()
include(CPack)
