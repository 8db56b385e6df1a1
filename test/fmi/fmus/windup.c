/* A PI controller that stops its integral at the limits of the actuator: u is p (w - T) + I, cut to 0 ... 1; T' = 2 u - T;
   I' = (w - T)/0.4, except where that leads on beyond a limit. The set point w falls from 1 to 0.2 at a time event. */
enum { NX = 2, NZ = 3, ND = 4, NP = 1 };
#include "skeleton.h"
enum { high, low, below, set_point }; /* of the discrete values; `below` is that of the set point */
static double wanted(const Model* m) { return m->p[0] * (m->d[set_point] - m->x[0]) + m->x[1]; }
static void start(Model* m) { m->p[0] = 1.5, m->d[set_point] = 1, m->next = 6; }
static void initialise(Model* m) {
  m->d[high] = wanted(m) > 1;
  m->d[low] = wanted(m) < 0;
  m->d[below] = m->d[set_point] - m->x[0] > 0;
}
static void derivatives(Model* m, double* dx) {
  const double u = m->d[high] ? 1 : m->d[low] ? 0 : wanted(m);
  const int rests = (m->d[high] && m->d[below]) || (m->d[low] && !m->d[below]);
  dx[0] = 2 * u - m->x[0];
  dx[1] = rests ? 0 : (m->d[set_point] - m->x[0]) / 0.4;
}
static void indicators(Model* m, double* z) { z[0] = wanted(m) - 1, z[1] = -wanted(m), z[2] = m->d[set_point] - m->x[0]; }
static int event(Model* m) {
  const int is_due = m->t >= m->next;
  if (is_due) m->d[set_point] = 0.2, m->next = INFINITY;
  initialise(m);
  return is_due ? AGAIN : 0;
}
