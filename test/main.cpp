// The main function of every test program.
#define DOCTEST_CONFIG_IMPLEMENT  // its header comes precompiled, without the definitions
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
