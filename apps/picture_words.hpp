// The words of a command line that say how a picture looks: labels, and its size.
//
// It must not know options by their names.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slideway::apps {

// "x=position x_{rel} [m],v=speed" as pairs of a name and its text. A comma ends a text where NAME= follows it outside of braces;
// nothing where the text has another form.
std::optional<std::vector<std::pair<std::string, std::string>>> labels_in(const std::string& text);

// "1200x800" in pixels, or "16x9cm", of which a centimetre has 40; nothing for another form.
std::optional<std::pair<int, int>> size_in(const std::string& text);

}  // namespace slideway::apps
