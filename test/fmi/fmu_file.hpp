// FMU files of the models in test/fmi/fmus, made by the tests as they want them.
//
// It must not know how FMUs are read.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace slideway::test {

struct FmuOptions {
  std::string model = {};  // the name of a file in test/fmi/fmus
  int version = 3;
  bool saves_state = true;
  std::vector<std::string> states = {};
  int indicators = 0;
  int discrete = 0;
  double parameter = 0;  // the start value of `p`, in the XML
  double end = 1;
  std::string token = "{token}";
};

std::string fmu_xml(const FmuOptions& options);
// The content of the shared object of a model.
std::string fmu_binary(const std::string& model);
// Writes an archive with these entries, by name.
void write_archive(const std::string& path, const std::map<std::string, std::string>& entries);
// The content of an entry.
std::string archive_entry(const std::string& path, const std::string& name);
void write_fmu(const std::string& path, const FmuOptions& options);

}  // namespace slideway::test
