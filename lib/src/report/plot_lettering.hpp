// The words of a picture: names as they are, and labels with subscripts, superscripts and symbols in a spelling like TeX's.
//
// gnuplot's terminals have a spelling of their own, and pictures for LaTeX have LaTeX's. It must not know where words stand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "slideway/io/plot.hpp"

namespace slideway {

class Lettering {
 public:
  // Labels are pairs of a name and its text. Throws std::invalid_argument for a text that cannot be read.
  Lettering(PictureFormat format, const std::vector<std::pair<std::string, std::string>>& labels);

  // is_enhanced() tells whether the terminal must know gnuplot's marks for subscripts and the like.
  bool is_enhanced() const { return !is_tex_ && !labels_.empty(); }
  // verbatim() returns the text in quotes, with the words of gnuplot that keep it as it is.
  std::string verbatim(const std::string& text) const;
  std::string bold(const std::string& text) const;
  // The label of a name, or the name itself.
  std::string name(const std::string& name) const;
  // label_offset() tells how far a label of the vertical axis is moved towards it, in characters; subscripts
  // need room.
  double label_offset() const { return is_enhanced() ? -0.5 : 0.5; }
  // The format of the numbers at an axis, in quotes.
  std::string number_format() const;
  // The estimated width in pixels of a picture's page.
  double width(const std::string& text) const;

 private:
  bool is_tex_;
  std::vector<std::pair<std::string, std::string>> labels_ = {};  // in the terminal's spelling
};

// Characters, not bytes.
std::size_t glyphs(const std::string& text);
// shortened() keeps at most this many characters, and a mark where something is left out.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace slideway
