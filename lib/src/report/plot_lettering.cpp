#include "report/plot_lettering.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "report/greek_letters.hpp"
#include "report/plot_style.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

namespace {

using Symbol = NamedGlyph;

// TeX's letters that look different from those of their names, or have no such name, and its other symbols.
constexpr std::array own_symbols = {
    Symbol{"epsilon", "ϵ"}, Symbol{"varepsilon", "ε"}, Symbol{"vartheta", "ϑ"}, Symbol{"upsilon", "υ"},
    Symbol{"phi", "ϕ"},     Symbol{"varphi", "φ"},     Symbol{"cdot", "·"},     Symbol{"times", "×"},
    Symbol{"pm", "±"},      Symbol{"circ", "°"},       Symbol{"prime", "′"},    Symbol{"infty", "∞"},
    Symbol{"partial", "∂"}, Symbol{"nabla", "∇"},      Symbol{"le", "≤"},       Symbol{"ge", "≥"},
    Symbol{"ne", "≠"},      Symbol{"approx", "≈"},     Symbol{"to", "→"},       Symbol{"ldots", "…"}};

// All that a label may name.
const std::vector<Symbol>& symbols() {
  static const std::vector<Symbol> all = [] {
    std::vector<Symbol> result(own_symbols.begin(), own_symbols.end());
    for (const Symbol& letter : greek_letters) {
      if (glyph_named(own_symbols, letter.name) == nullptr) result.push_back(letter);
    }
    return result;
  }();
  return all;
}

// Marks above the letter before them in UTF-8, above their argument in TeX.
constexpr std::array accents = {Symbol{"dot", "\u0307"}, Symbol{"ddot", "\u0308"},  Symbol{"hat", "\u0302"},
                                Symbol{"bar", "\u0304"}, Symbol{"tilde", "\u0303"}, Symbol{"vec", "\u20d7"}};

const char* glyph_of(const std::string& name) { return glyph_named(symbols(), name); }

const char* accent_of(const std::string& name) { return glyph_named(accents, name); }

enum class Position { line, below, above, accented };

// A run of text, or a group that is lowered, raised or accented.
struct Piece {
  Position place = Position::line;
  std::string text = {};  // of the line, or the name of the accent
  std::vector<Piece> inner = {};
};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<Piece> whole() {
    std::vector<Piece> pieces = group();
    if (at_ < text_.size()) fail("a } without its {");
    return pieces;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& advice = {}) const {
    refuse({.what = what,
            .where = fmt::format("label '{}'", text_),
            .expected = "text with x_1, x_{rel}, s^2, \\mu, \\dot{x}",
            .advice = advice});
  }

  static void add(std::vector<Piece>& pieces, const std::string& text) {
    if (pieces.empty() || pieces.back().place != Position::line) pieces.emplace_back();
    pieces.back().text += text;
  }

  // Up to the end, or to a } that closes it.
  std::vector<Piece> group() {
    std::vector<Piece> pieces;
    while (at_ < text_.size() && text_[at_] != '}') atom(pieces);
    return pieces;
  }

  std::vector<Piece> braced() {
    ++at_;
    std::vector<Piece> pieces = group();
    if (at_ >= text_.size()) fail("a { without its }");
    ++at_;
    return pieces;
  }

  // The argument of _, ^ or an accent: a group, or one character or symbol.
  std::vector<Piece> argument(const std::string& of) {
    if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ' ')
      fail(fmt::format("nothing follows {}", of));
    std::vector<Piece> pieces;
    if (text_[at_] == '_' || text_[at_] == '^') fail(fmt::format("{} is followed by {}", of, text_[at_]));
    atom(pieces);
    return pieces;
  }

  void atom(std::vector<Piece>& pieces) {
    const char character = text_[at_];
    if (character == '{') {
      for (Piece& piece : braced()) {
        if (piece.place == Position::line)
          add(pieces, piece.text);
        else
          pieces.push_back(std::move(piece));
      }
    } else if (character == '_' || character == '^') {
      ++at_;
      pieces.push_back({character == '_' ? Position::below : Position::above, {}, argument({character})});
    } else if (character == '\\') {
      command(pieces);
    } else if (character == '$') {
      ++at_;
    } else {
      const std::size_t begin = at_++;
      while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) ++at_;
      add(pieces, text_.substr(begin, at_ - begin));
    }
  }

  void command(std::vector<Piece>& pieces) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])) != 0) ++end;
    if (end == at_ + 1) {
      if (end >= text_.size()) fail("nothing follows \\");
      add(pieces, text_[end] == ',' ? "\u2009" : std::string{text_[end]});
      at_ = end + 1;
      return;
    }
    const std::string name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end;
    if (const char* glyph = glyph_of(name); glyph != nullptr) return add(pieces, glyph);
    if (accent_of(name) != nullptr) {
      pieces.push_back({Position::accented, name, argument("\\" + name)});
      return;
    }
    std::vector<std::string> known;
    for (const Symbol& symbol : symbols()) known.emplace_back(symbol.name);
    for (const Symbol& accent : accents) known.emplace_back(accent.name);
    const std::string near = nearest_name(name, known);
    fail(fmt::format("there is no symbol '\\{}'", name),
         near.empty() ? "" : fmt::format("did you mean '\\{}'?", near));
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// ---- gnuplot's spelling --------------------------------------------------------------------------------------------

std::string enhanced(const std::vector<Piece>& pieces, bool is_small) {
  std::string result;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Piece& piece = pieces[k];
    switch (piece.place) {
      case Position::line:
        for (const char character : is_small ? replaced(piece.text, "-", "−") : piece.text) {
          if (std::string("{}_^@&~\\").find(character) != std::string::npos) result += '\\';
          result += character;
        }
        break;
      case Position::accented: {
        const std::string inner = enhanced(piece.inner, is_small);
        std::size_t end = inner.empty() ? 0 : 1;
        while (end < inner.size() && (static_cast<unsigned char>(inner[end]) & 0xC0) == 0x80) ++end;
        result += inner.substr(0, end) + accent_of(piece.text) + inner.substr(end);
        break;
      }
      default: {
        const bool has_both =
            k + 1 < pieces.size() && piece.place != pieces[k + 1].place &&
            (pieces[k + 1].place == Position::below || pieces[k + 1].place == Position::above);
        // One stands above the other.
        if (has_both) result += '@';
        // A slash that opens a group begins the name of a font. Gnuplot's cairo would print the backslash of `\/`.
        const std::string inner = enhanced(piece.inner, true);
        const char* guard = inner.rfind('/', 0) == 0 ? "{}" : "";
        result += fmt::format("{}{{{}{}}}", piece.place == Position::below ? '_' : '^', guard, inner);
      }
    }
  }
  return result;
}

// ---- LaTeX's spelling ----------------------------------------------------------------------------------------------

std::string latex_line(const std::string& text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '\\': result += "\\textbackslash{}"; break;
      case '^': result += "\\textasciicircum{}"; break;
      case '~': result += "\\textasciitilde{}"; break;
      case '<':
      case '>':
      case '|': result += fmt::format("\\ensuremath{{{}}}", character); break;
      case '{':
      case '}':
      case '_':
      case '#':
      case '$':
      case '%':
      case '&': result += '\\'; [[fallthrough]];
      default: result += character;
    }
  }
  for (const Symbol& symbol : symbols()) {
    const std::string in_tex =
        std::string(symbol.name) == "circ" ? "^\\circ" : fmt::format("\\{}", symbol.name);
    result = replaced(result, symbol.glyph, fmt::format("\\ensuremath{{{}}}", in_tex));
  }
  return replaced(replaced(result, "−", "\\ensuremath{-}"), "\u2009", "\\,");
}

std::string latex(const std::vector<Piece>& pieces, bool is_small) {
  std::string result;
  for (const Piece& piece : pieces) {
    switch (piece.place) {
      case Position::line:
        result += latex_line(is_small ? replaced(piece.text, "-", "−") : piece.text);
        break;
      case Position::accented:
        result +=
            fmt::format("\\ensuremath{{\\{}{{\\mbox{{{}}}}}}}", piece.text, latex(piece.inner, is_small));
        break;
      case Position::below: result += fmt::format("\\textsubscript{{{}}}", latex(piece.inner, true)); break;
      case Position::above: result += fmt::format("\\textsuperscript{{{}}}", latex(piece.inner, true)); break;
    }
  }
  return result;
}

}  // namespace

std::size_t glyphs(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t most) {
  if (glyphs(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && count++ == most) break;
  }
  return text.substr(0, end) + "…";
}

Lettering::Lettering(PictureFormat format, const std::vector<std::pair<std::string, std::string>>& labels)
    : is_tex_(format == PictureFormat::tex) {
  for (const auto& [name, text] : labels) {
    const std::vector<Piece> pieces = Reader(text).whole();
    labels_.emplace_back(name, is_tex_ ? latex(pieces, false) : enhanced(pieces, false));
  }
}

std::string Lettering::verbatim(const std::string& text) const {
  return is_tex_ ? in_quotes(latex_line(text)) : in_quotes(text) + " noenhanced";
}

std::string Lettering::bold(const std::string& text) const {
  return is_tex_ ? in_quotes(fmt::format("\\textbf{{{}}}", latex_line(text)))
                 : in_quotes(text) + " font ':Bold' noenhanced";
}

std::string Lettering::name(const std::string& name) const {
  const auto found =
      std::find_if(labels_.rbegin(), labels_.rend(), [&](const auto& label) { return label.first == name; });
  if (found == labels_.rend()) return verbatim(name);
  return in_quotes(found->second) + (is_tex_ ? "" : " enhanced");
}

std::string Lettering::number_format() const { return is_tex_ ? "'$%h$'" : "'%g'"; }

double Lettering::width(const std::string& text) const {
  constexpr double character = 6.3;  // pixels, of the terminals' fonts
  constexpr double latex_character = 7.0;
  return (is_tex_ ? latex_character : character) * static_cast<double>(glyphs(text));
}

}  // namespace slideway
