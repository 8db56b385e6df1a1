// The gallery: model files that are installed beside the command, each called gallery/NAME.
//
// README.md of the gallery is the index: a heading for each field, and a table with a row for each file.
#pragma once

#include <string>
#include <vector>

namespace slideway::apps {

struct GalleryModel {
  std::string name;  // "gallery/chua"
  std::string field;
  std::string summary;
};

// gallery_models() keeps the order of the index; it is empty where the gallery is not found.
std::vector<GalleryModel> gallery_models();

// The folders in which the gallery is looked for, in this order.
std::vector<std::string> places_of_gallery();

// The path of the file that is called gallery/NAME, with or without .toml; "" for another name and for an unknown one.
std::string gallery_file(const std::string& name);

bool is_gallery_name(const std::string& name);

}  // namespace slideway::apps
