/* x' = -d[0]: every quarter of a unit of time d[0] becomes what x is then, as a controller that samples has it. */
enum { NX = 1, NZ = 0, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1; }
static void initialise(Model* m) { m->d[0] = m->x[0], m->next = 0.25; }
static void derivatives(Model* m, double* dx) { dx[0] = -m->d[0]; }
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static int event(Model* m) {
  if (m->t < m->next) return 0;
  m->d[0] = m->x[0];
  m->next += 0.25;
  return 0;
}
