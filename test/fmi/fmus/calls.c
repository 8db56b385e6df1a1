/* x' = 1 at times that are later than all before, kept in d[0], and 2 at others: these are no derivatives. */
enum { NX = 1, NZ = 0, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { m->x[0] = 1; }
static void initialise(Model* m) { (void)m; }
static void derivatives(Model* m, double* dx) {
  dx[0] = m->t >= m->d[0] ? 1 : 2;
  m->d[0] = fmax(m->t, m->d[0]);
}
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static int event(Model* m) { return (void)m, 0; }
