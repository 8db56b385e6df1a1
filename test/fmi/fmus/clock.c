/* x' = d, and at 0.25, 0.5, 0.75, … d changes its sign; at the time p, if that is not 0, the run ends. */
enum { NX = 1, NZ = 0, ND = 2, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->d[0] = 1; }
static void initialise(Model* m) { m->next = 0.25; }
static void derivatives(Model* m, double* dx) { dx[0] = m->d[0]; }
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static int event(Model* m) {
  if (m->t < m->next) return 0;
  m->d[0] = -m->d[0];
  m->d[1] += 1;
  m->next = 0.25 * (m->d[1] + 1);
  m->ends = m->p[0] != 0 && m->t >= m->p[0];
  return 0;
}
