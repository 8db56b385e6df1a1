// CVODE's reasons for giving up in the user's words, with advice.
//
// It must not know what is integrated.
#pragma once

#include "integrate/stepper.hpp"
#include "integrate/sundials_compat.hpp"

namespace slideway {

struct CvodeAdvice {
  const char* what;
  const char* remedy;
};

inline CvodeAdvice cvode_advice(int flag, MultistepMethod method) {
  const bool bdf = method == MultistepMethod::bdf;
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      return {"the tolerances ask for more than double precision holds", "loosen rtol or atol"};
    case CV_ERR_FAILURE:
      return {
          "the error test fails at every step size",
          "the field may jump or be singular here; check it, and the size of atol beside that of each state"};
    case CV_CONV_FAILURE:
      return {"the equations of the implicit step cannot be solved at any step size",
              bdf ? "check the Jacobian and the scaling of the states" : "the problem may be stiff: use bdf"};
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
    case CV_NLS_FAIL:
    case CV_NLS_SETUP_FAIL:
      return {"the linear equations of the implicit step cannot be solved",
              "check the Jacobian and the scaling of the states"};
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return {"the states overflow within the step",
              "the solution may grow without bound; check the scaling"};
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
      return {"the state cannot be projected onto the surface", "check the gradient of the surface's guard"};
    default: return {"CVODE gives up", "this is not expected: please report it"};
  }
}

}  // namespace slideway
