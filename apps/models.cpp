#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/gallery.hpp"
#include "models/registry.hpp"

namespace slideway::apps {

int list_models(std::ostream& out) {
  std::size_t width = 0;
  for (const Model& model : models::catalogue()) width = std::max(width, model.name.size());
  for (const Model& model : models::catalogue())
    fmt::print(out, "{:<{}}  {}\n", model.name, width, model.summary);
  const std::vector<GalleryModel> gallery = gallery_models();
  if (gallery.empty())
    fmt::print(out, "\nGallery: not found; looked in\n  {}\n", fmt::join(places_of_gallery(), "\n  "));
  std::size_t gallery_width = 0;
  for (const GalleryModel& model : gallery) gallery_width = std::max(gallery_width, model.name.size());
  std::string field;
  for (const GalleryModel& model : gallery) {
    if (model.field != field) fmt::print(out, "\nGallery, {}:\n", field = model.field);
    fmt::print(out, "{:<{}}  {}\n", model.name, gallery_width, model.summary);
  }
  return exit_success;
}

}  // namespace slideway::apps
