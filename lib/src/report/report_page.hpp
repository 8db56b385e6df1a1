// The style sheet and the program of the page that io/html_report.hpp writes: lib/src/report/page/, built in.
//
// It must not know runs.
#pragma once

namespace slideway {

const char* report_style();
const char* report_program();

}  // namespace slideway
