/* gnuplot.exe for tests by wine: it hands what it is given to the gnuplot of this machine, and what that writes to its caller. Wine starts
 * programs of the machine, but nobody can wait for them there, so files are exchanged. */
#include <stdio.h>
#include <stdlib.h>

#include <fcntl.h>
#include <io.h>
#include <windows.h>

static int copy(FILE *from, FILE *to) {
  char block[65536];
  size_t size;
  while ((size = fread(block, 1, sizeof block, from)) > 0)
    if (fwrite(block, 1, size, to) != size) return 0;
  return fflush(to) == 0;
}

static void hand_on(const char *name, FILE *to) {
  FILE *const from = fopen(name, "rb");
  if (from == NULL) return;
  copy(from, to);
  fclose(from);
  remove(name);
}

int main(void) {
  enum { cannot = 99, longest = 1024 };
  const char *const folder = getenv("SLIDEWAY_EXCHANGE"), *const script = getenv("SLIDEWAY_GNUPLOT");
  char place[longest / 2], in[longest], out[longest], err[longest], end[longest], command[2 * longest];
  STARTUPINFOA how = {0};
  PROCESS_INFORMATION started;
  FILE *file;
  int status = cannot, k;

  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
  _setmode(2, _O_BINARY);
  if (folder == NULL || script == NULL) return cannot;
  snprintf(place, sizeof place, "%s/%lu-%lu", folder, GetCurrentProcessId(), GetTickCount());
  snprintf(in, sizeof in, "%s.in", place);
  snprintf(out, sizeof out, "%s.out", place);
  snprintf(err, sizeof err, "%s.err", place);
  snprintf(end, sizeof end, "%s.end", place);
  file = fopen(in, "wb");
  if (file == NULL || !copy(stdin, file)) return cannot;
  fclose(file);
  snprintf(command, sizeof command, "sh \"%s\" \"%s\"", script, place);
  how.cb = sizeof how;
  if (!CreateProcessA("Z:\\bin\\sh", command, NULL, NULL, FALSE, 0, NULL, NULL, &how, &started)) return cannot;
  for (k = 0; k < 6000 && (file = fopen(end, "rb")) == NULL; ++k) Sleep(10);
  if (file == NULL) return cannot;
  if (fscanf(file, "%d", &status) != 1) status = cannot;
  fclose(file);
  hand_on(out, stdout);
  hand_on(err, stderr);
  remove(in);
  remove(end);
  return status;
}
