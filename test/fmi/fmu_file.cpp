#include "test/fmi/fmu_file.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

namespace slideway::test {
namespace {

std::string xml_of_three(const FmuOptions& options) {
  std::string variables, structure;
  const auto add = [&](const char* type, const std::string& name, int reference, const std::string& rest) {
    variables += fmt::format("    <{} name=\"{}\" valueReference=\"{}\" {}/>\n", type, name, reference, rest);
  };
  int k = 0;
  for (const std::string& state : options.states) {
    add("Float64", state, k, "causality=\"output\" initial=\"exact\" start=\"0\"");
    add("Float64", "der(" + state + ")", 10 + k, fmt::format("derivative=\"{}\"", k));
    structure += fmt::format("    <ContinuousStateDerivative valueReference=\"{}\"/>\n", 10 + k);
    ++k;
  }
  for (k = 0; k < options.discrete; ++k)
    add("Int32", fmt::format("d{}", k), 20 + k, "causality=\"output\" variability=\"discrete\"");
  add("Float64", "p", 30,
      fmt::format("causality=\"parameter\" variability=\"fixed\" start=\"{}\"", options.parameter));
  for (k = 0; k < options.indicators; ++k) {
    add("Float64", fmt::format("z{}", k), 40 + k, "");
    structure += fmt::format("    <EventIndicator valueReference=\"{}\"/>\n", 40 + k);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"{0}\" instantiationToken=\"{1}\">\n"
      "  <ModelExchange modelIdentifier=\"{0}\" canGetAndSetFMUState=\"{2}\"/>\n"
      "  <DefaultExperiment startTime=\"0\" stopTime=\"{3}\"/>\n"
      "  <ModelVariables>\n{4}  </ModelVariables>\n"
      "  <ModelStructure>\n{5}  </ModelStructure>\n"
      "</fmiModelDescription>\n",
      options.model, options.token, options.saves_state, options.end, variables, structure);
}

std::string xml_of_two(const FmuOptions& options) {
  std::string variables, structure;
  const auto add = [&](const std::string& name, int reference, const std::string& rest,
                       const std::string& type) {
    variables +=
        fmt::format("    <ScalarVariable name=\"{}\" valueReference=\"{}\" {}><{}/></ScalarVariable>\n", name,
                    reference, rest, type);
  };
  int k = 0;
  for (const std::string& state : options.states) {
    add(state, k, "causality=\"output\" initial=\"exact\"", "Real start=\"0\"");
    add("der(" + state + ")", 10 + k, "", fmt::format("Real derivative=\"{}\"", 2 * k + 1));
    structure += fmt::format("      <Unknown index=\"{}\"/>\n", 2 * k + 2);
    ++k;
  }
  for (k = 0; k < options.discrete; ++k)
    add(fmt::format("d{}", k), 20 + k, "causality=\"output\" variability=\"discrete\"", "Integer");
  add("p", 30, "causality=\"parameter\" variability=\"fixed\"",
      fmt::format("Real start=\"{}\"", options.parameter));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"{0}\" guid=\"{1}\" "
      "numberOfEventIndicators=\"{2}\">\n"
      "  <ModelExchange modelIdentifier=\"{0}\" canGetAndSetFMUstate=\"{3}\"/>\n"
      "  <DefaultExperiment startTime=\"0\" stopTime=\"{4}\"/>\n"
      "  <ModelVariables>\n{5}  </ModelVariables>\n"
      "  <ModelStructure>\n    <Derivatives>\n{6}    </Derivatives>\n  </ModelStructure>\n"
      "</fmiModelDescription>\n",
      options.model, options.token, options.indicators, options.saves_state, options.end, variables,
      structure);
}

}  // namespace

std::string fmu_xml(const FmuOptions& options) {
  return options.version == 2 ? xml_of_two(options) : xml_of_three(options);
}

std::string fmu_binary(const std::string& model) {
  std::ifstream file(SLIDEWAY_TEST_FMUS "/" + model + ".so", std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), {});
  if (content.empty()) throw std::runtime_error("there is no binary of the model " + model);
  return content;
}

void write_archive(const std::string& path, const std::map<std::string, std::string>& entries) {
  void* const archive = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  bool is_written = archive != nullptr;
  for (const auto& [name, content] : entries)
    is_written =
        is_written &&
        zipOpenNewFileInZip(archive, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                            Z_BEST_SPEED) == ZIP_OK &&
        zipWriteInFileInZip(archive, content.data(), static_cast<unsigned>(content.size())) == ZIP_OK &&
        zipCloseFileInZip(archive) == ZIP_OK;
  if (!is_written || zipClose(archive, nullptr) != ZIP_OK)
    throw std::runtime_error("the archive cannot be written: " + path);
}

std::string archive_entry(const std::string& path, const std::string& name) {
  void* const archive = unzOpen64(path.c_str());
  if (archive == nullptr) throw std::runtime_error("the archive cannot be read: " + path);
  std::string content;
  if (unzLocateFile(archive, name.c_str(), 1) == UNZ_OK && unzOpenCurrentFile(archive) == UNZ_OK) {
    char block[4096];
    for (int count = 0; (count = unzReadCurrentFile(archive, block, sizeof block)) > 0;)
      content.append(block, static_cast<std::size_t>(count));
    unzCloseCurrentFile(archive);
  }
  unzClose(archive);
  return content;
}

void write_fmu(const std::string& path, const FmuOptions& options) {
  const std::string folder = options.version == 2 ? "linux64" : "x86_64-linux";
  write_archive(path, {{"modelDescription.xml", fmu_xml(options)},
                       {"binaries/" + folder + "/" + options.model + ".so", fmu_binary(options.model)}});
}

}  // namespace slideway::test
