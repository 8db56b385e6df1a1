// Everything of SUNDIALS that the project includes, and the one place that knows which version it is (6.4 to
// 7.x).
//
// It must not know what is integrated.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>

namespace slideway::sundials {

static_assert(std::is_same_v<sunrealtype, double>, "slideway needs a SUNDIALS built for double precision");

// SUNDIALS' truth values, which CVODE hands to its callbacks.
#if SUNDIALS_VERSION_MAJOR >= 7
using Truth = sunbooleantype;
#else
using Truth = booleantype;
#endif

// Null on failure.
inline SUNContext create_context() {
  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  const bool created = SUNContext_Create(SUN_COMM_NULL, &context) == SUN_SUCCESS;
#else
  const bool created = SUNContext_Create(nullptr, &context) == 0;
#endif
  return created ? context : nullptr;
}

// Keeps a message in `last_message`, a std::string; called from C, so it must not throw.
inline void keep_message(const char* text, void* last_message) noexcept {
  try {
    if (text != nullptr) static_cast<std::string*>(last_message)->assign(text);
  } catch (const std::exception&) {
    // The return flag remains where there is no memory for the message.
  }
}

#if SUNDIALS_VERSION_MAJOR >= 7
inline void message_handler(int, const char*, const char*, const char* text, SUNErrCode, void* last_message,
                            SUNContext) {
  keep_message(text, last_message);
}
#else
inline void message_handler(int, const char*, const char*, char* text, void* last_message) {
  keep_message(text, last_message);
}
#endif

// capture_messages() prints nothing from now on: CVODE's last message is kept in `last_message`, which must
// outlive it.
inline void capture_messages([[maybe_unused]] SUNContext context, [[maybe_unused]] void* cvode,
                             std::string& last_message) {
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNContext_ClearErrHandlers(context);
  SUNContext_PushErrHandler(context, message_handler, &last_message);
#else
  CVodeSetErrHandlerFn(cvode, message_handler, &last_message);
#endif
}

// The name of a return flag of CVODE, such as "CV_CONV_FAILURE".
inline std::string flag_name(int flag) {
  char* name = CVodeGetReturnFlagName(flag);
  std::string copy = name != nullptr ? name : "unknown";
  std::free(name);
  return copy;
}

}  // namespace slideway::sundials
