/* x' = -x; the end of each step of the integrator asks for an event, which d[0] counts. */
enum { NX = 1, NZ = 0, ND = 1, NP = 1 };
#define HEARS_OF_STEPS
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1; }
static void initialise(Model* m) { (void)m; }
static void derivatives(Model* m, double* dx) { dx[0] = -m->x[0]; }
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static bool step_ends(Model* m) { return (void)m, true; }
static int event(Model* m) {
  m->d[0] += 1;
  return 0;
}
