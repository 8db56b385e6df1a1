// The statistics of the rows of a sweep.
//
// It must not know how rows came to be.
#pragma once

#include "slideway/sweep/sweep_statistics.hpp"
#include "sweep/row_store.hpp"
#include "sweep/sweep_table.hpp"

namespace slideway {

// statistics_of() covers the columns that hold one number and are among these.
SweepStatistics statistics_of(const RowStore& rows, const SweepTable& table,
                              const SweepTable::Selection& selection);

}  // namespace slideway
