// Output files, written whole or not at all: into a temporary file of the same directory, flushed to the disk,
// then renamed. Killed at any moment, the target is absent, old or complete.
//
// A symbolic link stays one, and the file at its end is replaced; a link that leads to none is refused.
// "-" is standard output. A target that is not a regular file (a device, a pipe) is written in place.
// It must not know any document's format.
#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>

namespace slideway {

// A file that cannot be written: which one, why, what to do.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

bool is_standard_output(const std::string& path);

// check_writable() throws FileError unless `path` can be written now. It is called before a long computation, so
// that the result is not lost at the end. It leaves nothing behind.
void check_writable(const std::string& path);

// Writes what `writer` puts on the stream. Throws FileError when the document is not complete on the disk;
// the target is then as it was.
void write_whole(const std::string& path, const std::function<void(std::ostream&)>& writer);

}  // namespace slideway
