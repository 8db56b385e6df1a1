/* x' = y, y' = −x; d[1] counts how often x has become positive. */
enum { NX = 2, NZ = 1, ND = 2, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1; }
static void initialise(Model* m) { m->d[0] = m->x[0] > 0; }
static void derivatives(Model* m, double* dx) { dx[0] = m->x[1], dx[1] = -m->x[0]; }
static void indicators(Model* m, double* z) { z[0] = m->x[0]; }
static int event(Model* m) {
  const int was = m->d[0] != 0;
  m->d[0] = m->x[0] > 0;
  if (!was && m->d[0]) m->d[1] += 1;
  return 0;
}
