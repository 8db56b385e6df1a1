/* x' = d[0], which an input sets. */
enum { NX = 1, NZ = 0, ND = 1, NP = 1 };
#include "skeleton.h"
static void start(Model* m) { (void)m; }
static void initialise(Model* m) { (void)m; }
static void derivatives(Model* m, double* dx) { dx[0] = m->d[0]; }
static void indicators(Model* m, double* z) { (void)m, (void)z; }
static int event(Model* m) { return (void)m, 0; }
