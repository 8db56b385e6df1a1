/* x' = −2 s, y' = 1 with s = sgn(x + y/2), which is its own event indicator. */
enum { NX = 2, NZ = 1, ND = 1, NP = 1 };
#include "skeleton.h"
static double side(const Model* m) { return m->x[0] + 0.5 * m->x[1] > 0 ? 1 : -1; }
static void start(Model* m) { m->x[0] = 1; }
static void initialise(Model* m) { m->d[0] = side(m); }
static void derivatives(Model* m, double* dx) { dx[0] = -2 * m->d[0], dx[1] = 1; }
static void indicators(Model* m, double* z) { z[0] = side(m); }
static int event(Model* m) {
  m->d[0] = side(m);
  return 0;
}
