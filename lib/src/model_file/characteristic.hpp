// The characteristics of [tables], which are those of C++.
//
// It must not know files or graphs.
#pragma once

#include "slideway/model/table.hpp"

namespace slideway::reader {

using Characteristic = slideway::Table;

}  // namespace slideway::reader
