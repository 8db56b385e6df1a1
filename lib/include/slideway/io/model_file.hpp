// Models written as files, without a compiler: TOML, with the equations as a paper writes them.
//
//     v = "-x - mu*sgn(v) + cos(w*t)"
//
// Whatever jumps becomes a switching surface by itself; f is multi-affine in every λ and has exact derivatives.
// Locations and edges make an Automaton; resets, stops, records and contacts belong to its Systems.
// It must not know integrators, results or the command line.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"

namespace slideway {

// A model file with mistakes. what() is the report of them all, each as
//     file:line:column: what, expected …, got …
// with the line of the file, a caret and, for a misspelt name, the near one.
class ModelFileError : public std::runtime_error {
 public:
  // One mistake, without the line of the file.
  struct Entry {
    int line = 0;    // from 1; 0: the file as a whole
    int column = 0;  // from 1, in characters
    std::string message = {};
    std::string advice = {};  // what to write instead, where the reader knows it
  };

  ModelFileError(const std::string& report, std::vector<Entry> entries);
  // mistakes() are in the order of the file.
  const std::vector<Entry>& mistakes() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// ModelFileLimits says how large a file and its model may become; a larger one is a mistake.
struct ModelFileLimits {
  std::size_t bytes = 64'000'000;
  std::size_t states = 10'000'000;       // elements of all vectors
  std::size_t operations = 100'000'000;  // of all expressions and their derivatives
};

// Throws ModelFileError for a file that cannot be read or has mistakes.
Model read_model_file(const std::string& path);

// The same for a text; `file_name` is what messages call it. Model::instantiate throws std::invalid_argument for an
// unknown name (with the nearest one), and a value that makes no sense in the equations.
Model parse_model(const std::string& text, const std::string& file_name, const ModelFileLimits& limits = {});

// The value of an expression of numbers, pi and functions, "1/3" or "2*pi". Throws std::invalid_argument with what stands
// in the way.
double constant_value(const std::string& expression);

}  // namespace slideway
