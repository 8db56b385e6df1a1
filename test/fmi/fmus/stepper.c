/* x' = d[0], which changes its sign at an event that the end of each fifth step of the integrator asks for; d[1] counts these steps. */
enum { NX = 1, NZ = 0, ND = 2, NP = 1 };
#define HEARS_OF_STEPS
#include "skeleton.h"
static void start(Model* m) { m->d[0] = 1; }
static void initialise(Model* m) { (void)m; }
static void derivatives(Model* m, double* dx) { dx[0] = m->d[0]; }
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static bool step_ends(Model* m) {
  m->d[1] += 1;
  return m->d[1] == 5;
}
static int event(Model* m) {
  if (m->d[1] < 5) return 0;
  m->d[0] = -m->d[0];
  m->d[1] = 0;
  return 0;
}
