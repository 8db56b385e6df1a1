// The JSON document that `slideway check` writes.
//
// It must not know how the answers were found.
#pragma once

#include <iosfwd>

#include "apps/model_check.hpp"

namespace slideway::apps {

// "problem", "warning", "hint".
const char* to_string(Severity severity);

// Writes the document, whose schema is "slideway.check/1".
void write_check_json(const ModelCheck& check, std::ostream& out);

}  // namespace slideway::apps
