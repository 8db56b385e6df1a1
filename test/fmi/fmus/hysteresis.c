/* x' = 3 d[0] - x, with the switch d[0] on below 1 and off above 2: a thermostat. Its relations are strict, and its indicators zero where they are
   false. */
enum { NX = 1, NZ = 2, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 0.5; }
static void initialise(Model* m) { m->d[0] = m->x[0] < 1; }
static void derivatives(Model* m, double* dx) { dx[0] = 3 * m->d[0] - m->x[0]; }
static void indicators(Model* m, double* z) { z[0] = m->x[0] - 2, z[1] = m->x[0] - 1; }
static int event(Model* m) {
  if (m->x[0] > 2) m->d[0] = 0;
  if (m->x[0] < 1) m->d[0] = 1;
  return 0;
}
