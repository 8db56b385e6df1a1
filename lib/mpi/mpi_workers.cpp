#include "slideway/sweep/mpi_workers.hpp"

#include <thread>

#include "lib/mpi/clock.hpp"
#include "lib/mpi/helper.hpp"
#include "lib/mpi/post.hpp"
#include "lib/mpi/writer.hpp"

namespace slideway {

using namespace mpi_time;

MpiWorkers::MpiWorkers() : post_(std::make_unique<Post>()) {}

// A helper says that it is through, and waits until the writer says the same of all. The writer may have failed while helpers wait for
// a sweep: they are told that there is none.
MpiWorkers::~MpiWorkers() {
  const Clock::time_point begin = Clock::now();
  if (!is_writer()) {
    post_->send(0, Post::farewell_tag(), {.kind = MessageKind::closing});
    bool has_ended = false;
    while (!has_ended && !post_->someone_died() && Clock::now() - begin < kFarewell) {
      std::this_thread::sleep_for(kLook);
      while (auto received = post_->receive(Post::farewell_tag())) {
        has_ended = received->message.kind == MessageKind::end;
        if (!received->message.text.empty()) post_->note_death();
      }
    }
    if (!has_ended) post_->note_death();
    return;
  }
  const auto limit = post_->someone_died() ? Clock::duration(2s) : kFarewell;
  while (!post_->has_all_farewells() && Clock::now() - begin < limit) {
    while (auto received = post_->receive_any()) {
      const MessageKind kind = received->message.kind;
      if (kind == MessageKind::closing) post_->note_farewell(received->rank);
      if (kind == MessageKind::hello || kind == MessageKind::report)
        post_->send(received->rank, received->tag, {.kind = MessageKind::stop});
    }
    std::this_thread::sleep_for(kLook);
  }
  if (!post_->has_all_farewells()) post_->note_death();
  for (int rank = 1; rank < size(); ++rank)
    post_->send(rank, Post::farewell_tag(),
                {.kind = MessageKind::end, .text = post_->someone_died() ? "without the dead" : ""});
  while (!post_->is_all_sent() && !post_->someone_died()) std::this_thread::sleep_for(kLook);
}

int MpiWorkers::rank() const { return post_->rank(); }

int MpiWorkers::size() const { return post_->size(); }

void MpiWorkers::run(SweepWork& work) {
  post_->begin_sweep();
  if (is_writer()) {
    Writer(*post_, work).run();
  } else {
    Helper(*post_, work).run();
  }
}

void MpiWorkers::stay_away(const std::string& reason) {
  post_->begin_sweep();
  if (!is_writer()) post_->send(0, post_->sweep_tag(), {.kind = MessageKind::away, .text = reason});
}

}  // namespace slideway
