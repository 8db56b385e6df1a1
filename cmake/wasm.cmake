# The toolchain of the preset `wasm`: Debian's emscripten.
include("/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake")

# Exceptions are those of WebAssembly itself: those that emscripten makes of JavaScript slow every call down.
set(CMAKE_C_FLAGS_INIT "-fwasm-exceptions")
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions")
