#include "lib/mpi/post.hpp"

#include <iterator>
#include <stdexcept>

namespace slideway {

MpiWorkers::Post::Post() {
  int started = 0;
  MPI_Initialized(&started);
  if (!started) {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
      throw std::runtime_error("MPI does not start, or not with threads (MPI_THREAD_FUNNELED)");
    started_here_ = true;
  }
  // Messages of the program itself are none of ours.
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &size_);
}

MpiWorkers::Post::~Post() {
  if (someone_died_) return;
  MPI_Comm_free(&world_);
  if (started_here_) MPI_Finalize();
}

bool MpiWorkers::Post::send(int rank, int tag, const Message& message) {
  Letter& letter = letters_.emplace_back();
  letter.bytes = packed(message);
  letter.rank = rank;
  const int failure = MPI_Isend(letter.bytes.data(), static_cast<int>(letter.bytes.size()), MPI_BYTE, rank,
                                tag, world_, &letter.request);
  if (failure != MPI_SUCCESS) letters_.pop_back();
  is_all_sent();
  return failure == MPI_SUCCESS;
}

bool MpiWorkers::Post::is_all_sent() {
  for (auto letter = letters_.begin(); letter != letters_.end();) {
    int is_sent = 0;
    const int failure = MPI_Test(&letter->request, &is_sent, MPI_STATUS_IGNORE);
    letter = failure != MPI_SUCCESS || is_sent ? letters_.erase(letter) : std::next(letter);
  }
  return letters_.empty();
}

void MpiWorkers::Post::drop_unsent(int rank) {
  for (auto letter = letters_.begin(); letter != letters_.end();) {
    const auto next = std::next(letter);
    if (letter->rank == rank) lost_.splice(lost_.end(), letters_, letter);
    letter = next;
  }
}

std::optional<MpiWorkers::Post::Received> MpiWorkers::Post::receive(int tag) {
  is_all_sent();
  int is_there = 0;
  MPI_Message envelope = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, tag, world_, &is_there, &envelope, &status) != MPI_SUCCESS || !is_there)
    return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (MPI_Mrecv(bytes.data(), size, MPI_BYTE, &envelope, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return std::nullopt;
  return Received{status.MPI_SOURCE, status.MPI_TAG, unpacked(bytes)};
}

}  // namespace slideway
