// A short text that differs where anything differs that decides the numbers of many runs: by it a table is known to belong to them.
//
// It must not know tables.
#pragma once

#include <cstdint>
#include <string>

#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

class Fingerprint {
 public:
  void add(const std::string& text);
  // The version of the library, the model, and what else tells models of one name apart, as the text of its file.
  void add(const Model& model, const std::string& identity);
  // All that changes the numbers of a run.
  void add(const Options& options);

  std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

}  // namespace slideway
