/* x' = 1 up to x = 1, where three updates follow each other, of which the last sets x = 0. With p = 1 they never end. d[1] counts. */
enum { NX = 1, NZ = 1, ND = 2, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 0.25; }
static void initialise(Model* m) { m->d[0] = 0; }
static void derivatives(Model* m, double* dx) { (void)m, dx[0] = 1; }
static void indicators(Model* m, double* z) { z[0] = 1 - m->x[0]; }
static int event(Model* m) {
  if (m->x[0] < 1) return 0;
  if (++m->d[0] < 3 || m->p[0] == 1) return AGAIN;
  m->d[0] = 0;
  m->d[1] += 1;
  m->x[0] = 0;
  return CHANGED;
}
