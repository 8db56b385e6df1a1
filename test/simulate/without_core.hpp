// A guard under which runs go without the core.
#pragma once

#include <cstdlib>

namespace slideway::test {

struct WithoutCore {
  WithoutCore() { ::setenv("SLIDEWAY_CORE", "off", 1); }
  ~WithoutCore() { ::unsetenv("SLIDEWAY_CORE"); }
  WithoutCore(const WithoutCore&) = delete;
  WithoutCore& operator=(const WithoutCore&) = delete;
};

}  // namespace slideway::test
