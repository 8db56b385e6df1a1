/* A Co-Simulation of both versions: x' = u up to x = 1, where x becomes 0 and count goes up by one; w = 2 x; k is a tunable factor of u.
   p tells how it fails once x > 0.5: 1 a value that is no number, 2 the status error, 3 it does not move, 4 a crash, 5 a hang, 6 an exit.
   At t = stop, if that is not 0, it ends. Value references: 0 x, 1 w, 2 count, 3 u, 4 p, 5 stop, 6 k, 10 an array of x, 2 x, 3 x. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  double t, x, count, u, p, stop, k;
  bool event_mode, early, waits;
  Logger3 log3;
  void* environment;
} Saw;

static Saw* make(void) {
  Saw* s = calloc(1, sizeof *s);
  s->u = 1;
  s->k = 1;
  return s;
}
static void tell(Saw* s, const char* text) {
  if (s->log3) s->log3(s->environment, 0, "steps", text);
}
static double* place(Saw* s, uint32_t r) {
  double* const all[] = {&s->x, NULL, &s->count, &s->u, &s->p, &s->stop, &s->k};
  return all[r];
}
/* Moves to the end of the step, or to the next event where that ends a step. Returns a status. */
static int move(Saw* s, double end, bool stops, bool* event, bool* ends) {
  *event = *ends = false;
  if (s->p != 0 && s->x > 0.5) {
    if (s->p == 1) return s->x = NAN, s->t = end, 0;
    if (s->p == 2) return 3;
    if (s->p == 3) return *event = true, 0;
    if (s->p == 4) *(volatile int*)8 = 1;
    if (s->p == 5) for (;;) sleep(1);
    if (s->p == 6) _exit(7);
  }
  if (s->stop != 0 && end >= s->stop) {
    end = s->stop;
    *ends = true;
  }
  while (s->t < end) {
    const double rate = s->u * s->k, to_event = rate > 0 ? (1 - s->x) / rate : INFINITY;
    if (s->t + to_event > end) {
      s->x += rate * (end - s->t);
      s->t = end;
      return 0;
    }
    s->t += to_event;
    s->x = 1;
    s->waits = true;
    if (stops) return *event = true, *ends = false, 0;
    s->x = 0;
    s->count += 1;
    s->waits = false;
  }
  return 0;
}

void* fmi3InstantiateCoSimulation(const char* name, const char* token, const char* path, bool visible, bool logs, bool event_mode, bool early,
                                  const uint32_t* r, size_t n, void* environment, Logger3 log, void* update) {
  (void)name, (void)token, (void)path, (void)visible, (void)r, (void)n, (void)update;
  Saw* s = make();
  s->event_mode = event_mode;
  s->early = early;
  s->log3 = logs ? log : NULL;
  s->environment = environment;
  return s;
}
int fmi3SetDebugLogging(Saw* s, bool logs, size_t n, const char* const* categories) {
  tell(s, logs && n == 1 && strcmp(categories[0], "steps") == 0 ? "the category steps is on" : "all categories are on");
  return 0;
}
void fmi3FreeInstance(void* s) { free(s); }
int fmi3EnterInitializationMode(Saw* s, bool has, double tolerance, double t, bool ends, double end) {
  (void)has, (void)tolerance, (void)ends, (void)end;
  s->t = t;
  return 0;
}
int fmi3ExitInitializationMode(Saw* s) { return (void)s, 0; }
int fmi3Reset(Saw* s) { return (void)s, 3; }
int fmi3EnterEventMode(Saw* s) { return (void)s, 0; }
int fmi3EnterStepMode(Saw* s) { return (void)s, 0; }
int fmi3UpdateDiscreteStates(Saw* s, bool* again, bool* ends, bool* nominals, bool* changed, bool* has_next, double* next) {
  *again = *ends = *nominals = *has_next = false;
  *next = 0;
  *changed = s->waits;
  if (s->waits) {
    s->x = 0;
    s->count += 1;
    s->waits = false;
  }
  return 0;
}
int fmi3DoStep(Saw* s, double t, double size, bool no_way_back, bool* event, bool* ends, bool* is_early, double* last) {
  (void)no_way_back;
  const int status = move(s, t + size, s->event_mode && s->early, event, ends);
  *is_early = s->t < t + size;
  *last = s->t;
  return status;
}
int fmi3GetFloat64(Saw* s, const uint32_t* r, size_t n, double* v, size_t nv) {
  for (size_t k = 0; k < n; ++k) {
    if (r[k] == 10)
      for (size_t i = 0; i < nv; ++i) v[i] = (double)(i + 1) * s->x;
    else
      v[k] = r[k] == 1 ? 2 * s->x : *place(s, r[k]);
  }
  return 0;
}
int fmi3SetFloat64(Saw* s, const uint32_t* r, size_t n, const double* v, size_t nv) {
  (void)nv;
  for (size_t k = 0; k < n; ++k) *place(s, r[k]) = v[k];
  return 0;
}
int fmi3GetInt32(Saw* s, const uint32_t* r, size_t n, int32_t* v, size_t nv) {
  (void)nv;
  for (size_t k = 0; k < n; ++k) v[k] = (int32_t)*place(s, r[k]);
  return 0;
}

void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* path, const Callbacks* callbacks, int visible, int logs) {
  (void)name, (void)guid, (void)path, (void)callbacks, (void)visible, (void)logs;
  return kind == 1 ? make() : NULL;
}
void fmi2FreeInstance(void* s) { free(s); }
int fmi2SetupExperiment(Saw* s, int has, double tolerance, double t, int ends, double end) {
  return fmi3EnterInitializationMode(s, has, tolerance, t, ends, end);
}
int fmi2EnterInitializationMode(Saw* s) { return (void)s, 0; }
int fmi2ExitInitializationMode(Saw* s) { return (void)s, 0; }
int fmi2Reset(Saw* s) { return (void)s, 3; }
int fmi2GetReal(Saw* s, const uint32_t* r, size_t n, double* v) { return fmi3GetFloat64(s, r, n, v, n); }
int fmi2SetReal(Saw* s, const uint32_t* r, size_t n, const double* v) { return fmi3SetFloat64(s, r, n, v, n); }
int fmi2GetInteger(Saw* s, const uint32_t* r, size_t n, int* v) { return fmi3GetInt32(s, r, n, v, n); }
int fmi2SetInteger(Saw* s, const uint32_t* r, size_t n, const int* v) { return (void)s, (void)r, (void)n, (void)v, 3; }
int fmi2GetBoolean(Saw* s, const uint32_t* r, size_t n, int* v) { return fmi3GetInt32(s, r, n, v, n); }
int fmi2SetBoolean(Saw* s, const uint32_t* r, size_t n, const int* v) { return fmi2SetInteger(s, r, n, v); }
int fmi2DoStep(Saw* s, double t, double size, int no_way_back) {
  (void)no_way_back;
  bool event = false, ends = false;
  const int status = move(s, t + size, false, &event, &ends);
  return status != 0 ? status : ends ? 2 : 0;
}
int fmi2GetRealStatus(Saw* s, int what, double* value) { return what == 2 ? (*value = s->t, 0) : 3; }
int fmi2GetBooleanStatus(Saw* s, int what, int* value) { return what == 3 ? (*value = s->stop != 0 && s->t >= s->stop, 0) : 3; }
