/* h' = v, v' = −9.81; where h comes to 0 the velocity becomes −e times what it was. */
enum { NX = 2, NZ = 1, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1, m->p[0] = 0.7; }
static void initialise(Model* m) { m->d[0] = m->x[0] <= 0; }
static void derivatives(Model* m, double* dx) { dx[0] = m->x[1], dx[1] = -9.81; }
static void indicators(Model* m, double* z) { z[0] = m->x[0]; }
static int event(Model* m) {
  const int was = m->d[0] != 0, is = m->x[0] <= 0;
  m->d[0] = is;
  if (was || !is) return 0;
  m->x[1] *= -m->p[0];
  return CHANGED;
}
