/* x' = −1 from 1 on; below 0.5 the FMU fails in the way that the parameter names. */
enum { NX = 1, NZ = 1, ND = 1, NP = 1 };
#include "skeleton.h"
#include <unistd.h>
void throw_a_number(void);
void throw_an_error(void);
static int fails(const Model* m, int how) { return m->p[0] == how && m->x[0] < 0.5; }
static void start(Model* m) {
#ifdef THROWS_AT_ONCE
  throw_a_number();
#endif
  m->x[0] = 1;
}
static void initialise(Model* m) {
  if (m->p[0] == 5) m->status = 3;
}
static void derivatives(Model* m, double* dx) {
  if (fails(m, 7)) *(volatile int*)8 = 1;
  if (fails(m, 8))
    for (;;) sleep(1);
  if (fails(m, 9)) _exit(3);
  if (fails(m, 10)) throw_a_number();
  if (fails(m, 11)) throw_an_error();
  dx[0] = fails(m, 1) ? NAN : -1;
  m->status = fails(m, 2) ? 3 : fails(m, 6) ? 2 : 0;
}
static void indicators(Model* m, double* z) { z[0] = fails(m, 3) ? NAN : m->x[0] - 0.25; }
static int event(Model* m) {
  if (fails(m, 4)) m->status = 4;
  return 0;
}
