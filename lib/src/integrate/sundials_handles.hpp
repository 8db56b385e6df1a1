// Owners of the SUNDIALS objects: each is destroyed exactly once, and nothing else.
//
// It must not know what is integrated.
#pragma once

#include <memory>
#include <new>

#include "integrate/sundials_compat.hpp"
#include "slideway/core/types.hpp"

namespace slideway::sundials {

struct Destroy {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
  void operator()(void* cvode) const { CVodeFree(&cvode); }
};

template <typename Pointer>
using Handle = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy>;

using ContextHandle = Handle<SUNContext>;
using VectorHandle = Handle<N_Vector>;
using MatrixHandle = Handle<SUNMatrix>;
using LinearSolverHandle = Handle<SUNLinearSolver>;
using NonlinearSolverHandle = Handle<SUNNonlinearSolver>;
using CvodeHandle = Handle<void*>;

// Throws for what SUNDIALS had no memory to make.
template <typename Object>
void require(const std::unique_ptr<Object, Destroy>& handle) {
  if (!handle) throw std::bad_alloc();
}

// The numbers of a serial N_Vector, in place.
inline Eigen::Map<Vector> values(N_Vector vector) {
  return {NV_DATA_S(vector), static_cast<Index>(NV_LENGTH_S(vector))};
}

// The numbers of a dense SUNMatrix, in place: both store columns one after the other.
inline Eigen::Map<Matrix> values(SUNMatrix matrix) {
  return {SUNDenseMatrix_Data(matrix), static_cast<Index>(SUNDenseMatrix_Rows(matrix)),
          static_cast<Index>(SUNDenseMatrix_Columns(matrix))};
}

}  // namespace slideway::sundials
