/* Two oscillators whose states are one array: x'' = -p1 x, y'' = -p2 y, with x = (x, y, x', y') and p = (p1, p2).
   The directional derivative is right, or with WRONG_DERIVATIVES half of it. */
enum { NX = 4, NZ = 0, ND = 1, NP = 2 };
#define HAS_DERIVATIVES
#include "skeleton.h"
#ifdef WRONG_DERIVATIVES
enum { share = 2 };
#else
enum { share = 1 };
#endif
static void start(Model* m) { m->x[0] = m->x[1] = 1, m->p[0] = 1, m->p[1] = 4; }
static void initialise(Model* m) { (void)m; }
static void derivatives(Model* m, double* dx) {
  for (int k = 0; k < 2; ++k) dx[k] = m->x[k + 2], dx[k + 2] = -m->p[k] * m->x[k];
}
static void along(const Model* m, size_t known, const double* seed, size_t count, double* ddx) {
  (void)known, (void)count;
  for (int k = 0; k < 2; ++k) ddx[k] = seed[k + 2] / share, ddx[k + 2] = -m->p[k] * seed[k] / share;
}
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static int event(Model* m) { return (void)m, 0; }
