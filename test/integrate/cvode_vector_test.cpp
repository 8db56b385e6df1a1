// CVODE's vectors beside SUNDIALS' own.
#include "integrate/cvode_vector.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace slideway::test {
namespace {

using sundials::values;

// The same numbers as a vector of the project and as one of SUNDIALS'.
struct Twin {
  sundials::VectorHandle ours, theirs;
};

class Twins {
 public:
  explicit Twins(Index size) : size_(size), context_(sundials::create_context()) {}

  Twin make() {
    Twin twin{sundials::make_vector(size_, context_.get()),
              sundials::VectorHandle(N_VNew_Serial(size_, context_.get()))};
    std::uniform_real_distribution<double> number(-2, 2);
    for (Index i = 0; i < size_; ++i) values(twin.ours.get())[i] = number(random_);
    values(twin.theirs.get()) = values(twin.ours.get());
    return twin;
  }

 private:
  Index size_;
  sundials::ContextHandle context_;
  std::mt19937 random_{7};
};

bool agree(const Twin& twin) { return values(twin.ours.get()).isApprox(values(twin.theirs.get()), 1e-14); }

}  // namespace

TEST_CASE("CVODE's vectors compute what SUNDIALS' own do, in place too") {
  for (const Index size : {1, 2, 3, 4, 5, 8, 17, 1000}) {
    CAPTURE(size);
    Twins twins(size);
    const Twin x = twins.make(), y = twins.make(), z = twins.make();

    N_VLinearSum(0.5, x.ours.get(), -3, y.ours.get(), z.ours.get());
    N_VLinearSum(0.5, x.theirs.get(), -3, y.theirs.get(), z.theirs.get());
    CHECK(agree(z));
    N_VLinearSum(1, x.ours.get(), -1, y.ours.get(), x.ours.get());
    N_VLinearSum(1, x.theirs.get(), -1, y.theirs.get(), x.theirs.get());
    CHECK(agree(x));
    N_VLinearSum(1, x.ours.get(), 2, y.ours.get(), y.ours.get());
    N_VLinearSum(1, x.theirs.get(), 2, y.theirs.get(), y.theirs.get());
    CHECK(agree(y));
    N_VScale(-0.25, x.ours.get(), z.ours.get());
    N_VScale(-0.25, x.theirs.get(), z.theirs.get());
    CHECK(agree(z));
    N_VScale(1.5, z.ours.get(), z.ours.get());
    N_VScale(1.5, z.theirs.get(), z.theirs.get());
    CHECK(agree(z));

    CHECK(N_VWrmsNorm(x.ours.get(), y.ours.get()) ==
          doctest::Approx(N_VWrmsNorm(x.theirs.get(), y.theirs.get())).epsilon(1e-13));
    CHECK(N_VDotProd(x.ours.get(), x.ours.get()) ==
          doctest::Approx(N_VDotProd(x.theirs.get(), x.theirs.get())).epsilon(1e-13));
  }
}

TEST_CASE("CVODE's vectors compute several at once what SUNDIALS' own do, and so do their clones") {
  for (const Index size : {1, 2, 7, 300}) {
    CAPTURE(size);
    Twins twins(size);
    std::vector<Twin> terms;
    for (int k = 0; k < 4; ++k) terms.push_back(twins.make());
    const Twin clone{sundials::VectorHandle(N_VClone(terms[0].ours.get())),
                     sundials::VectorHandle(N_VClone(terms[0].theirs.get()))};
    std::vector<N_Vector> ours, theirs;
    for (const Twin& term : terms) {
      ours.push_back(term.ours.get());
      theirs.push_back(term.theirs.get());
    }
    double factors[] = {0.5, -1, 3, 0.125};

    for (const int count : {1, 2, 4}) {
      N_VLinearCombination(count, factors, ours.data(), clone.ours.get());
      N_VLinearCombination(count, factors, theirs.data(), clone.theirs.get());
      CHECK(agree(clone));
      N_VLinearCombination(count, factors, ours.data(), ours[0]);
      N_VLinearCombination(count, factors, theirs.data(), theirs[0]);
      CHECK(agree(terms[0]));
    }
    N_VScaleAddMulti(4, factors, clone.ours.get(), ours.data(), ours.data());
    N_VScaleAddMulti(4, factors, clone.theirs.get(), theirs.data(), theirs.data());
    for (const Twin& term : terms) CHECK(agree(term));
    N_VScaleVectorArray(4, factors, ours.data(), ours.data());
    N_VScaleVectorArray(4, factors, theirs.data(), theirs.data());
    for (const Twin& term : terms) CHECK(agree(term));
    const bool clones_are_alike = clone.ours->ops->nvlinearsum == terms[0].ours->ops->nvlinearsum;
    CHECK(clones_are_alike);
  }
}

}  // namespace slideway::test
