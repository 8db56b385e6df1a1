/* x' = −2, y' = 1.5 where x > y, and x' = 2, y' = −3 elsewhere. The relation is kept from one event to the next. */
enum { NX = 2, NZ = 1, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1.5, m->x[1] = 1; }
static void initialise(Model* m) { m->d[0] = m->x[0] > m->x[1]; }
static void derivatives(Model* m, double* dx) {
  dx[0] = m->d[0] ? -2 : 2;
  dx[1] = m->d[0] ? 1.5 : -3;
}
static void indicators(Model* m, double* z) {
  /* With a parameter, the hysteresis by which tools shift a relation. */
  z[0] = m->x[0] - m->x[1] + (m->d[0] ? m->p[0] : -m->p[0]);
}
static int event(Model* m) {
  m->d[0] = m->x[0] > m->x[1];
  return 0;
}
