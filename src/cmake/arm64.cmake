# Cross-compiles for a 64-bit Arm Debian on another one; what was compiled is run by QEMU's user emulation. Debian packages:
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu qemu-user-static libtbb-dev:arm64 libfmt-dev:arm64 libnlopt-dev:arm64 libgtest-dev:arm64 libbenchmark-dev:arm64
# and, of the machine's own, the packages that are headers only (run.sh has the list).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# Debian keeps the libraries of all architectures below /usr, each in its own folder.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu /)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_IGNORE_PREFIX_PATH /usr/lib/x86_64-linux-gnu)
