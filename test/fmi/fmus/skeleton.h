/* The functions of both versions of FMI around a model that the file which includes this has:
   NX states, NZ event indicators, ND discrete values, NP parameters, and the functions declared below.
   Value references: 0… states, 10… derivatives, 20… discrete values, 30… parameters. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double t, x[NX ? NX : 1], d[ND], p[NP];
  double next;  /* the time event, or infinity */
  int status;   /* what the next function answers */
  int ends;     /* the run is to end */
} Model;

/* The answer of an event: the states have changed; another update is needed. */
enum { CHANGED = 1, AGAIN = 2 };

static void start(Model* m);       /* start values */
static void initialise(Model* m);  /* discrete values for them */
static void derivatives(Model* m, double* dx);
static void indicators(Model* m, double* z);
static int event(Model* m);

typedef void (*Logger3)(void*, int, const char*, const char*);
typedef void (*Logger2)(void*, const char*, int, const char*, const char*, ...);
typedef struct {
  Logger2 logger;
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void (*finished)(void*, int);
  void* environment;
} Callbacks;
typedef struct {
  Model model;
  Logger3 log3;
  Logger2 log2;
  void* environment;
} Instance;

static int answer(Instance* i) {
  const int status = i->model.status;
  if (status >= 2 && i->log3) i->log3(i->environment, status, "error", "the model has no solution here");
  if (status >= 2 && i->log2) i->log2(i->environment, "me", status, "error", "the model has no %s here", "solution");
  return status;
}
static Instance* make(void) {
  Instance* i = calloc(1, sizeof *i);
  i->model.next = INFINITY;
  start(&i->model);
  return i;
}
static double* place(Model* m, uint32_t r) {
  static double dx[NX ? NX : 1];
  if (r < 10) return &m->x[r];
  if (r < 20) {
    derivatives(m, dx);
    return &dx[r - 10];
  }
  return r < 30 ? &m->d[r - 20] : &m->p[r - 30];
}
static int vector(Instance* i, double* to, const double* from, size_t n) {
  if (i->model.status == 2) i->model.status = 0;  /* there may be a value at other states */
  memcpy(to, from, n * sizeof *to);
  return answer(i);
}

/* FMI 3.0 */
void* fmi3InstantiateModelExchange(const char* name, const char* token, const char* path, bool visible, bool logs, void* environment,
                                   Logger3 log) {
  (void)name, (void)path, (void)visible, (void)logs;
  if (strcmp(token, "{token}") != 0) {
    log(environment, 3, "error", "this is another token");
    return NULL;
  }
  Instance* i = make();
  i->log3 = log;
  i->environment = environment;
  return i;
}
void fmi3FreeInstance(void* i) { free(i); }
int fmi3EnterInitializationMode(Instance* i, bool has, double tolerance, double t, bool ends, double end) {
  (void)has, (void)tolerance, (void)ends, (void)end;
  i->model.t = t;
  return answer(i);
}
int fmi3ExitInitializationMode(Instance* i) {
  initialise(&i->model);
  return answer(i);
}
int fmi3Reset(Instance* i) {
  memset(&i->model, 0, sizeof i->model);
  i->model.next = INFINITY;
  start(&i->model);
  return 0;
}
int fmi3EnterEventMode(Instance* i) { return answer(i); }
#ifndef WITHOUT_UPDATE
int fmi3UpdateDiscreteStates(Instance* i, bool* again, bool* ends, bool* nominals, bool* changed, bool* has_next, double* next) {
  const int what = event(&i->model);
  *again = (what & AGAIN) != 0;
  *ends = i->model.ends;
  *nominals = false;
  *changed = (what & CHANGED) != 0;
  *has_next = isfinite(i->model.next);
  *next = i->model.next;
  return answer(i);
}
#endif
int fmi3EnterContinuousTimeMode(Instance* i) { return answer(i); }
/* Tells whether the end of a step of the integrator asks for an event. */
#ifdef HEARS_OF_STEPS
static bool step_ends(Model* m);
#else
static bool step_ends(Model* m) { return (void)m, false; }
#endif
int fmi3CompletedIntegratorStep(Instance* i, bool no_way_back, bool* enters, bool* ends) {
  (void)no_way_back;
  *enters = step_ends(&i->model);
  *ends = false;
  return answer(i);
}
int fmi3SetTime(Instance* i, double t) {
  i->model.t = t;
  return 0;
}
int fmi3SetContinuousStates(Instance* i, const double* x, size_t n) { return vector(i, i->model.x, x, n); }
int fmi3GetContinuousStates(Instance* i, double* x, size_t n) { return vector(i, x, i->model.x, n); }
int fmi3GetContinuousStateDerivatives(Instance* i, double* dx, size_t n) {
  (void)n;
  derivatives(&i->model, dx);
  return answer(i);
}
int fmi3GetEventIndicators(Instance* i, double* z, size_t n) {
  (void)n;
  indicators(&i->model, z);
  return answer(i);
}
int fmi3GetNominalsOfContinuousStates(Instance* i, double* x, size_t n) {
  for (size_t k = 0; k < n; ++k) x[k] = 1;
  return answer(i);
}
/* An array has one reference for values that follow each other. */
int fmi3GetFloat64(Instance* i, const uint32_t* r, size_t n, double* v, size_t nv) {
  for (size_t k = 0; k < nv; ++k) v[k] = place(&i->model, r[k * n / nv])[k % (nv / n)];
  return answer(i);
}
int fmi3SetFloat64(Instance* i, const uint32_t* r, size_t n, const double* v, size_t nv) {
  for (size_t k = 0; k < nv; ++k) place(&i->model, r[k * n / nv])[k % (nv / n)] = v[k];
  return answer(i);
}
#ifdef HAS_DERIVATIVES
/* The derivatives of the right-hand sides along a seed of the states from `known` on. */
static void along(const Model* m, size_t known, const double* seed, size_t count, double* ddx);
int fmi3GetDirectionalDerivative(Instance* i, const uint32_t* unknowns, size_t n, const uint32_t* knowns, size_t nk, const double* seed,
                                 size_t ns, double* ddx, size_t nd) {
  (void)unknowns, (void)n, (void)nk, (void)nd;
  along(&i->model, knowns[0], seed, ns, ddx);
  return answer(i);
}
#endif
int fmi3GetInt32(Instance* i, const uint32_t* r, size_t n, int32_t* v, size_t nv) {
  (void)nv;
  for (size_t k = 0; k < n; ++k) v[k] = (int32_t)*place(&i->model, r[k]);
  return answer(i);
}
int fmi3SetInt32(Instance* i, const uint32_t* r, size_t n, const int32_t* v, size_t nv) {
  (void)nv;
  for (size_t k = 0; k < n; ++k) *place(&i->model, r[k]) = v[k];
  return answer(i);
}
int fmi3GetFMUState(Instance* i, void** state) {
  if (!*state) *state = malloc(sizeof i->model);
  memcpy(*state, &i->model, sizeof i->model);
  return 0;
}
int fmi3SetFMUState(Instance* i, void* state) {
  memcpy(&i->model, state, sizeof i->model);
  return 0;
}
int fmi3FreeFMUState(Instance* i, void** state) {
  (void)i;
  free(*state);
  *state = NULL;
  return 0;
}

/* FMI 2.0 */
typedef struct {
  int again, ends, nominals, changed, has_next;
  double next;
} EventInfo;
void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* path, const Callbacks* callbacks, int visible, int logs) {
  (void)name, (void)kind, (void)path, (void)visible, (void)logs;
  if (strcmp(guid, "{token}") != 0) return NULL;
  Instance* i = make();
  i->log2 = callbacks->logger;
  i->environment = callbacks->environment;
  return i;
}
void fmi2FreeInstance(void* i) { free(i); }
int fmi2SetupExperiment(Instance* i, int has, double tolerance, double t, int ends, double end) {
  return fmi3EnterInitializationMode(i, has, tolerance, t, ends, end);
}
int fmi2EnterInitializationMode(Instance* i) { return answer(i); }
int fmi2ExitInitializationMode(Instance* i) { return fmi3ExitInitializationMode(i); }
int fmi2Reset(Instance* i) { return fmi3Reset(i); }
int fmi2EnterEventMode(Instance* i) { return answer(i); }
int fmi2NewDiscreteStates(Instance* i, EventInfo* info) {
  const int what = event(&i->model);
  memset(info, 0, sizeof *info);
  info->again = (what & AGAIN) != 0;
  info->ends = i->model.ends;
  info->changed = (what & CHANGED) != 0;
  info->has_next = isfinite(i->model.next);
  info->next = i->model.next;
  return answer(i);
}
int fmi2EnterContinuousTimeMode(Instance* i) { return answer(i); }
int fmi2CompletedIntegratorStep(Instance* i, int no_way_back, int* enters, int* ends) {
  (void)no_way_back;
  *enters = step_ends(&i->model);
  *ends = 0;
  return answer(i);
}
int fmi2SetTime(Instance* i, double t) { return fmi3SetTime(i, t); }
int fmi2SetContinuousStates(Instance* i, const double* x, size_t n) { return fmi3SetContinuousStates(i, x, n); }
int fmi2GetContinuousStates(Instance* i, double* x, size_t n) { return fmi3GetContinuousStates(i, x, n); }
int fmi2GetDerivatives(Instance* i, double* dx, size_t n) { return fmi3GetContinuousStateDerivatives(i, dx, n); }
int fmi2GetEventIndicators(Instance* i, double* z, size_t n) { return fmi3GetEventIndicators(i, z, n); }
int fmi2GetNominalsOfContinuousStates(Instance* i, double* x, size_t n) { return fmi3GetNominalsOfContinuousStates(i, x, n); }
int fmi2GetReal(Instance* i, const uint32_t* r, size_t n, double* v) { return fmi3GetFloat64(i, r, n, v, n); }
int fmi2SetReal(Instance* i, const uint32_t* r, size_t n, const double* v) { return fmi3SetFloat64(i, r, n, v, n); }
int fmi2GetInteger(Instance* i, const uint32_t* r, size_t n, int* v) { return fmi3GetInt32(i, r, n, v, n); }
int fmi2SetInteger(Instance* i, const uint32_t* r, size_t n, const int* v) { return fmi3SetInt32(i, r, n, v, n); }
int fmi2GetBoolean(Instance* i, const uint32_t* r, size_t n, int* v) { return fmi3GetInt32(i, r, n, v, n); }
int fmi2SetBoolean(Instance* i, const uint32_t* r, size_t n, const int* v) { return fmi3SetInt32(i, r, n, v, n); }
int fmi2GetFMUstate(Instance* i, void** state) { return fmi3GetFMUState(i, state); }
int fmi2SetFMUstate(Instance* i, void* state) { return fmi3SetFMUState(i, state); }
int fmi2FreeFMUstate(Instance* i, void** state) { return fmi3FreeFMUState(i, state); }
