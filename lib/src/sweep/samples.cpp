#include "slideway/sweep/samples.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>
#include <utility>

namespace slideway {

namespace {

using Generator = std::mt19937_64;

// A multiple of 2^-bits in [0, 1).
double fraction_of(Generator& generator, int bits) {
  return std::ldexp(static_cast<double>(generator() >> (Generator::word_size - static_cast<unsigned>(bits))),
                    -bits);
}

// Each of 0, …, count − 1 with the same probability; std::uniform_int_distribution differs between libraries.
std::uint64_t below(Generator& generator, std::uint64_t count) {
  const std::uint64_t whole_rounds = Generator::max() - Generator::max() % count;
  while (true) {
    const std::uint64_t number = generator();
    if (number < whole_rounds) return number % count;
  }
}

// ratio^fraction by square roots and products, since std::pow may differ in its last digit between platforms.
double power(double ratio, double fraction) {
  double result = 1;
  double root = ratio;
  while (fraction > 0 && root != 1) {
    root = std::sqrt(root);
    fraction *= 2;
    if (fraction >= 1) {
      result *= root;
      fraction -= 1;
    }
  }
  return result;
}

}  // namespace

double value_between(const SampleRange& range, double fraction) {
  // std::fma is rounded once everywhere; a product and a sum may or may not be united by a compiler.
  const double value = range.logarithmic ? range.first * power(range.last / range.first, fraction)
                                         : std::fma(fraction, range.last - range.first, range.first);
  const auto [least, greatest] = std::minmax(range.first, range.last);
  return std::clamp(value, least, greatest);
}

// Blocks of samples, each with the state of the generator where it begins. The last few that were drawn are kept.
class Samples::Draw {
 public:
  Draw(std::vector<SampleRange> ranges, Index count, std::uint64_t seed, Sampling sampling)
      : ranges_(std::move(ranges)), count_(count), is_latin_(sampling == Sampling::latin) {
    Generator generator(seed);
    if (!is_latin_) {
      note_states(generator, ranges_.size());
      return;
    }
    std::vector<std::uint32_t> parts(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      std::iota(parts.begin(), parts.end(), std::uint32_t{0});
      for (std::size_t last = parts.size(); last > 1; --last)
        std::swap(parts[last - 1], parts[static_cast<std::size_t>(below(generator, last))]);
      parts_.push_back(parts);
      note_states(generator, 1);
    }
  }

  Index count() const { return count_; }

  std::vector<double> at(Index sample) {
    const std::lock_guard lock(mutex_);
    const std::vector<double>& values = block(sample / block_size);
    const auto first = static_cast<std::ptrdiff_t>(sample % block_size) * std::ssize(ranges_);
    return {values.begin() + first, values.begin() + first + std::ssize(ranges_)};
  }

 private:
  static constexpr Index block_size = 4096;
  static constexpr std::size_t kept_blocks = 16;
  // The sum is exact with 24 bits of a part's number, so that no value is rounded into the next part.
  static constexpr int bits_within_part = 28;

  Index blocks() const { return (count_ + block_size - 1) / block_size; }
  Index samples_of(Index number) const { return std::min(block_size, count_ - number * block_size); }

  void note_states(Generator& generator, std::size_t draws_per_sample) {
    for (Index number = 0; number < blocks(); ++number) {
      states_.push_back(generator);
      generator.discard(static_cast<unsigned long long>(samples_of(number)) * draws_per_sample);
    }
  }

  const std::vector<double>& block(Index number) {
    for (const auto& [known, values] : kept_)
      if (known == number) return values;
    if (kept_.size() == kept_blocks) kept_.pop_front();
    return kept_.emplace_back(number, is_latin_ ? latin_block(number) : random_block(number)).second;
  }

  std::vector<double> random_block(Index number) const {
    Generator generator = states_[static_cast<std::size_t>(number)];
    std::vector<double> values;
    for (Index sample = 0; sample < samples_of(number); ++sample)
      for (const SampleRange& range : ranges_)
        values.push_back(value_between(range, fraction_of(generator, std::numeric_limits<double>::digits)));
    return values;
  }

  std::vector<double> latin_block(Index number) const {
    const auto samples = static_cast<std::size_t>(samples_of(number));
    std::vector<double> values(samples * ranges_.size());
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      Generator generator =
          states_[k * static_cast<std::size_t>(blocks()) + static_cast<std::size_t>(number)];
      for (std::size_t sample = 0; sample < samples; ++sample) {
        const std::uint32_t part = parts_[k][static_cast<std::size_t>(number * block_size) + sample];
        const double place = static_cast<double>(part) + fraction_of(generator, bits_within_part);
        values[sample * ranges_.size() + k] = value_between(ranges_[k], place / static_cast<double>(count_));
      }
    }
    return values;
  }

  std::vector<SampleRange> ranges_;
  Index count_;
  bool is_latin_;
  std::vector<Generator> states_;  // by block; of a Latin hypercube by range, then by block
  std::vector<std::vector<std::uint32_t>> parts_;
  std::mutex mutex_;
  std::deque<std::pair<Index, std::vector<double>>> kept_;
};

Samples::Samples(std::vector<SampleRange> ranges, Index count, std::uint64_t seed, Sampling sampling)
    : draw_(std::make_unique<Draw>(std::move(ranges), count, seed, sampling)) {}

Samples::~Samples() = default;

Index Samples::count() const { return draw_->count(); }

std::vector<double> Samples::at(Index sample) const { return draw_->at(sample); }

namespace {

std::vector<std::vector<double>> lists_of(const Samples& samples, std::size_t ranges) {
  std::vector<std::vector<double>> lists(ranges);
  for (Index sample = 0; sample < samples.count(); ++sample) {
    const std::vector<double> values = samples.at(sample);
    for (std::size_t k = 0; k < ranges; ++k) lists[k].push_back(values[k]);
  }
  return lists;
}

}  // namespace

std::vector<std::vector<double>> random_samples(const std::vector<SampleRange>& ranges, Index count,
                                                std::uint64_t seed) {
  return lists_of(Samples(ranges, count, seed, Sampling::random), ranges.size());
}

std::vector<std::vector<double>> latin_samples(const std::vector<SampleRange>& ranges, Index count,
                                               std::uint64_t seed) {
  return lists_of(Samples(ranges, count, seed, Sampling::latin), ranges.size());
}

}  // namespace slideway
