/* No states: d[0] counts the seconds, and at the tenth one the run ends. */
enum { NX = 0, NZ = 0, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->d[0] = 1; }
static void initialise(Model* m) { m->next = 1; }
static void derivatives(Model* m, double* dx) { (void)m, (void)dx; }
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static int event(Model* m) {
  if (m->t < m->next) return 0;
  m->d[0] += 1;
  m->next += 1;
  m->ends = m->d[0] >= 10;
  return 0;
}
