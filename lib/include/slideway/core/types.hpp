// The numeric vocabulary shared by every room of the house: vectors, matrices and references to them.
//
// It must not know any problem, integrator or file format.
#pragma once

#include <Eigen/Core>

namespace slideway {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// Arguments of callbacks. A plain Vector, a fixed-size Eigen vector and a Map bind without a copy.
using VectorRef = Eigen::Ref<Vector>;
using ConstVectorRef = const Eigen::Ref<const Vector>&;
using MatrixRef = Eigen::Ref<Matrix>;

}  // namespace slideway
