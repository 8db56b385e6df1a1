/* h' = v, v' = g; an event below the floor puts the ball on it and turns the velocity, and a slow ball comes to rest: then there is no weight. */
enum { NX = 2, NZ = 1, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1, m->p[0] = 0.7, m->d[0] = -9.81; }
static void initialise(Model* m) { (void)m; }
static void derivatives(Model* m, double* dx) { dx[0] = m->x[1], dx[1] = m->d[0]; }
static void indicators(Model* m, double* z) { z[0] = m->x[0] == 0 && m->x[1] == 0 ? 1 : m->x[0]; }
static int event(Model* m) {
  if (m->x[0] > 0) return 0;
  m->x[0] = 0, m->x[1] = fabs(m->x[1] * m->p[0]);
  if (m->x[1] < 0.1) m->x[1] = 0, m->d[0] = 0;
  return CHANGED;
}
