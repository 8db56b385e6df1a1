#include "report/plot_style.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"

namespace slideway {

namespace {

std::string terminal(PictureFormat format, const char* enhanced) {
  switch (format) {
    case PictureFormat::png:
      return fmt::format(
          "pngcairo {} background 'white' font 'Helvetica,10' fontscale 1.5 linewidth 1.6 pointscale 1.6",
          enhanced);
    case PictureFormat::pdf:
      return fmt::format("pdfcairo {} font 'Helvetica,9.5' linewidth 1.2 pointscale 0.7", enhanced);
    case PictureFormat::tex: return "cairolatex pdf color linewidth 1.2 pointscale 0.7";
    case PictureFormat::svg:
    case PictureFormat::script: break;
  }
  return fmt::format("svg name 'slideway' {} font 'Helvetica,13' background 'white' linewidth 1.1", enhanced);
}

constexpr double pixels_per_cm = 40;

// Nominal pixels to what the terminal counts in.
std::string terminal_size(PictureFormat format, int width, int height) {
  if (format == PictureFormat::pdf || format == PictureFormat::tex)
    return fmt::format("size {:.2f}cm,{:.2f}cm", width / pixels_per_cm, height / pixels_per_cm);
  const double scale = format == PictureFormat::png ? 1.6 : 1.0;
  return fmt::format("size {:.0f},{:.0f}", width * scale, height * scale);
}

}  // namespace

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
      result += ' ';
    } else {
      result += character;
      if (character == '\'') result += '\'';
    }
  }
  result += '\'';
  return result;
}

int page_width(PictureFormat format, int on_screen) {
  constexpr int on_paper = 640;
  const bool is_for_paper = format == PictureFormat::pdf || format == PictureFormat::tex;
  return is_for_paper ? std::min(on_paper, on_screen) : on_screen;
}

std::string picture_settings(PictureFormat format, int width, int height, bool enhanced) {
  return fmt::format(
      "set terminal {} {}\nset encoding utf8\nset border front linewidth 0.6\nset tics nomirror front\n"
      "set datafile missing 'nan'\n",
      terminal(format, enhanced ? "enhanced" : "noenhanced"), terminal_size(format, width, height));
}

PictureFormat picture_format(const std::string& path) {
  if (is_standard_output(path)) return PictureFormat::svg;
  const std::string extension = to_name(to_path(path).extension());
  if (extension == ".svg") return PictureFormat::svg;
  if (extension == ".png") return PictureFormat::png;
  if (extension == ".pdf") return PictureFormat::pdf;
  if (extension == ".tex") return PictureFormat::tex;
  if (extension == ".gp") return PictureFormat::script;
  refuse({.what = "no picture can be made with this name",
          .where = path,
          .expected = "a name that ends in .svg, .png, .pdf, .tex or .gp",
          .got = extension.empty() ? "no ending" : extension});
}

std::string file_beside(const std::string& path) {
  if (picture_format(path) != PictureFormat::tex) return "";
  const std::filesystem::path text = to_path(path);
  const std::string stem = to_name(text.stem());
  // LaTeX reads the name of the drawing out of the text.
  const bool is_readable = std::all_of(stem.begin(), stem.end(), [](unsigned char character) {
    return std::isalnum(character) != 0 ||
           std::string("-_+.").find(static_cast<char>(character)) != std::string::npos;
  });
  if (!is_readable) {
    refuse({.what = "LaTeX cannot be told this name",
            .where = path,
            .expected = "a name of letters, digits, - _ + and .",
            .got = stem});
  }
  return to_name(text.parent_path() / to_path(stem + "-inc.pdf"));
}

namespace {

void write_text(const std::string& path, const std::string& text) {
  write_whole(path,
              [&](std::ostream& out) { out.write(text.data(), static_cast<std::streamsize>(text.size())); });
}

}  // namespace

void write_picture(const std::string& script, const std::string& path) {
  if (picture_format(path) == PictureFormat::script) {
    // The first line chooses the terminal, and the file comes after it.
    const std::size_t first_line = script.find('\n') + 1;
    const std::string drawing = to_name(to_path(path).stem()) + ".svg";
    write_whole(path, [&](std::ostream& out) {
      out << script.substr(0, first_line) << "set output " << in_quotes(drawing) << '\n'
          << script.substr(first_line);
    });
    return;
  }
  if (const std::string beside = file_beside(path); !beside.empty()) {
    const TexPicture picture = render_tex(script, to_name(to_path(beside).filename()));
    // The text comes last: it is of no use without the drawing.
    write_text(beside, picture.drawing);
    write_text(path, picture.text);
    return;
  }
  write_text(path, render(script));
}

}  // namespace slideway
