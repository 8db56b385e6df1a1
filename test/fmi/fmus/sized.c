/* FMI 3.0 alone: n relays beside each other, n a structural parameter. x_i' = -k_i sgn(x_i), so that each x_i slides along zero from
   |x_i(0)|/k_i on; x_i(0) = 1 and k_i = i where nothing is set. A function that the standard does not allow in the mode answers with an error.
   Value references: 0 x, 10 x', 30 k, 40 the indicators, 50 n. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { most = 100 };
enum Mode { instantiated, configuration, initialisation, event, continuous };
typedef struct {
  enum Mode mode;
  size_t n;
  double x[most], k[most], side[most];
} Model;

static void resize(Model* m, size_t n) {
  m->n = n;
  for (size_t i = 0; i < n; ++i) m->x[i] = 1, m->k[i] = (double)(i + 1);
}
static void find_sides(Model* m) {
  for (size_t i = 0; i < m->n; ++i) m->side[i] = m->x[i] > 0 ? 1 : -1;
}
static int go(Model* m, enum Mode from, enum Mode to) {
  if (m->mode != from) return 3;
  m->mode = to;
  return 0;
}

typedef void (*Logger)(void*, int, const char*, const char*);
void* fmi3InstantiateModelExchange(const char* name, const char* token, const char* path, bool visible, bool logs, void* environment,
                                   Logger log) {
  (void)name, (void)token, (void)path, (void)visible, (void)logs, (void)environment, (void)log;
  Model* m = calloc(1, sizeof *m);
  resize(m, 3);
  return m;
}
void fmi3FreeInstance(void* m) { free(m); }
int fmi3Reset(Model* m) {
  memset(m, 0, sizeof *m);
  resize(m, 3);
  return 0;
}
int fmi3EnterConfigurationMode(Model* m) { return go(m, instantiated, configuration); }
int fmi3ExitConfigurationMode(Model* m) { return go(m, configuration, instantiated); }
int fmi3EnterInitializationMode(Model* m, bool has, double tolerance, double t, bool ends, double end) {
  (void)has, (void)tolerance, (void)t, (void)ends, (void)end;
  return go(m, instantiated, initialisation);
}
int fmi3ExitInitializationMode(Model* m) {
  find_sides(m);
  return go(m, initialisation, event);
}
int fmi3EnterEventMode(Model* m) { return go(m, continuous, event); }
int fmi3EnterContinuousTimeMode(Model* m) { return go(m, event, continuous); }
int fmi3UpdateDiscreteStates(Model* m, bool* again, bool* ends, bool* nominals, bool* changed, bool* has_next, double* next) {
  *again = *ends = *nominals = *changed = *has_next = false;
  *next = 0;
  find_sides(m);
  return m->mode == event ? 0 : 3;
}
int fmi3CompletedIntegratorStep(Model* m, bool no_way_back, bool* enters, bool* ends) {
  (void)no_way_back;
  *enters = *ends = false;
  return m->mode == continuous ? 0 : 3;
}
int fmi3SetTime(Model* m, double t) { return (void)t, m->mode == continuous ? 0 : 3; }
int fmi3SetContinuousStates(Model* m, const double* x, size_t n) {
  if (n != m->n) return 3;
  memcpy(m->x, x, n * sizeof *x);
  return 0;
}
static int copy(double* to, const double* from, size_t n, size_t expected) {
  if (n != expected) return 3;
  memcpy(to, from, n * sizeof *to);
  return 0;
}
int fmi3GetContinuousStates(Model* m, double* x, size_t n) { return copy(x, m->x, n, m->n); }
int fmi3GetEventIndicators(Model* m, double* z, size_t n) { return copy(z, m->x, n, m->n); }
int fmi3GetContinuousStateDerivatives(Model* m, double* dx, size_t n) {
  if (n != m->n) return 3;
  for (size_t i = 0; i < n; ++i) dx[i] = -m->k[i] * m->side[i];
  return 0;
}
int fmi3GetFloat64(Model* m, const uint32_t* r, size_t count, double* v, size_t n) {
  if (count != 1 || n != m->n) return 3;
  return r[0] == 10 ? fmi3GetContinuousStateDerivatives(m, v, n) : copy(v, r[0] == 30 ? m->k : m->x, n, m->n);
}
int fmi3SetFloat64(Model* m, const uint32_t* r, size_t count, const double* v, size_t n) {
  if (count != 1 || n != m->n || m->mode == configuration) return 3;
  return copy(r[0] == 30 ? m->k : m->x, v, n, m->n);
}
int fmi3GetUInt64(Model* m, const uint32_t* r, size_t count, uint64_t* v, size_t n) {
  if (count != 1 || n != 1 || r[0] != 50) return 3;
  *v = m->n;
  return 0;
}
int fmi3SetUInt64(Model* m, const uint32_t* r, size_t count, const uint64_t* v, size_t n) {
  if (m->mode != configuration || count != 1 || n != 1 || r[0] != 50 || v[0] > most) return 3;
  resize(m, v[0]);
  return 0;
}
