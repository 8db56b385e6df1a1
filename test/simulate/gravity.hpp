// The standard acceleration of free fall, for the tests that compare with closed forms.
#pragma once

namespace slideway::test {

constexpr double kGravity = 9.81;  // m/s²

}  // namespace slideway::test
