// The rules of the house, as pure functions of file names and texts: which folder may include which, what a public
// header may name, where a heavy header may be included, what a test may be called.
//
// Includes go down only, and integrate knows nothing but core:
//     core ← autodiff ← model ← filippov ← simulate ← io ← apps,   core ← integrate ← simulate.
// It must not know the file system: `source_tree.hpp` reads the files.
#pragma once

#include <string>
#include <vector>

namespace architecture {

struct SourceFile {
  std::string path;  // from the top, with '/': "lib/src/model/system.cpp"
  std::string text;
};

using SourceFiles = std::vector<SourceFile>;
// One line per breach: "path:line: what is wrong".
using Breaches = std::vector<std::string>;

// An include that points up or sideways, leaves its root by "..", or reaches into another root of the tree.
Breaches upward_includes(const SourceFile& file);
// SUNDIALS and Odeint outside lib/src/integrate (and the hand-written programs of validation/benchmarks).
Breaches integrator_headers(const SourceFile& file);
// A header of one kind of system outside lib/src/core/platform.
Breaches system_headers(const SourceFile& file);
// A public header that includes anything but slideway, Eigen and the standard library, or names a SUNDIALS type.
Breaches public_header_contents(const SourceFile& file);
// A header that does not open with a comment and `#pragma once`.
Breaches header_opening(const SourceFile& file);
// A sentence of a comment in lib or apps, after the one that opens the file, that begins with a relative clause: "What", "Those",
// "That of" or "Who" stand where the subject belongs.
Breaches comment_openings(const SourceFile& file);
// A factor by which a run decides that stands outside the one table of such factors, or a table of more than 100.
Breaches factors_outside_table(const SourceFile& file);
// A class that holds more than 25 members of its own, or a file of the run's engine with more than one class in a header.
Breaches large_classes(const SourceFile& file);
// A test case whose name a doctest filter or CTest would not take literally (the filter would then select nothing,
// and pass), or that has the same name as another one of its folder.
Breaches test_names(const SourceFiles& files);
// Two definitions of a class or an enumeration of one name in one namespace of lib or apps. Names in anonymous namespaces may repeat.
Breaches repeated_class_names(const SourceFiles& files);
// A header that costs seconds, included by more than one source file.
Breaches heavy_headers(const SourceFiles& files);
// Headers that include each other in a circle.
Breaches include_cycles(const SourceFiles& files);
// An entry of the top level that does not belong there.
Breaches top_level(const std::vector<std::string>& entries);

// All of the rules above on a source tree.
Breaches all_breaches(const SourceFiles& files);

}  // namespace architecture
