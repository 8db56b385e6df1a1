/* What the functions for Octave and MATLAB call: runs of models that are text, and of functions, through slideway.h. All that it calls is in the
 * documentation of MATLAB's C interface for MEX files.
 *
 *   result = slideway_mex("model", text, file, settings, options, times, observed)
 *   result = slideway_mex("function", field, guards, events, y0, options, times)
 *
 * settings is a struct of numbers, options a text, times a vector, observed a cell of texts; guards may be [] and events [] or
 * functions. Objects of Octave are given back before an error is told, since that leaves the function at once. */
#include <mex.h>
#include <slideway.h>
#include <stdio.h>
#include <string.h>

static char told[4000];

static void fail(const char *id, const char *message, sw_run *run, sw_model *model) {
  strncpy(told, message, sizeof told - 1);
  sw_free(run);
  sw_free(model);
  mexErrMsgIdAndTxt(id, "%s", told);
}

static mxArray *column_of(const double *numbers, int64_t count) {
  mxArray *made = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
  if (count > 0) memcpy(mxGetPr(made), numbers, sizeof(double) * (size_t)count);
  return made;
}

/* The numbers of a list, in memory of Octave, which frees it at the end of the call. */
static double *list_of(const void *handle, const char *list, int64_t *count) {
  double *numbers;
  *count = 0;
  sw_values(handle, list, NULL, 0, count);
  numbers = mxMalloc(sizeof(double) * (size_t)(*count + 1));
  if (*count > 0) sw_values(handle, list, numbers, *count, NULL);
  return numbers;
}

static mxArray *names_of(const void *handle, const char *list) {
  const int64_t count = sw_count(handle, list);
  mxArray *names = mxCreateCellMatrix(1, count > 0 ? (mwSize)count : 0);
  int64_t k;
  for (k = 0; k < count; ++k) mxSetCell(names, (mwIndex)k, mxCreateString(sw_name(handle, list, k)));
  return names;
}

static mxArray *event_numbers(const sw_run *run, int64_t k, const char *what) {
  int64_t count = 0;
  mxArray *made;
  sw_event_values(run, k, what, NULL, 0, &count);
  made = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
  if (count > 0) sw_event_values(run, k, what, mxGetPr(made), count, NULL);
  return made;
}

static mxArray *events_of(const sw_run *run) {
  static const char *fields[] = {"t", "kind", "name", "surfaces", "reason", "before", "after", "state_before", "state_after"};
  const int64_t count = sw_count(run, "events");
  mxArray *events = mxCreateStructMatrix(1, count > 0 ? (mwSize)count : 0, 9, fields);
  int64_t k;
  int f;
  for (k = 0; k < count; ++k) {
    mxSetField(events, (mwIndex)k, "t", event_numbers(run, k, "t"));
    for (f = 1; f < 7; ++f) {
      const char *text = sw_event_text(run, k, fields[f]);
      mxSetField(events, (mwIndex)k, fields[f], mxCreateString(text == NULL ? "" : text));
    }
    mxSetField(events, (mwIndex)k, "state_before", event_numbers(run, k, "before"));
    mxSetField(events, (mwIndex)k, "state_after", event_numbers(run, k, "after"));
  }
  return events;
}

/* The part of the times that the run has come to, or its own steps; x has a row for each. */
static void add_trajectory(sw_run *run, const mxArray *wanted, mxArray *result) {
  const int64_t n = sw_count(run, "states");
  int64_t count = (int64_t)mxGetNumberOfElements(wanted), k, i;
  double reached = 0, *t, *x, *rows;
  mxArray *matrix;
  sw_status(run, &reached);
  if (count <= 2) {
    t = list_of(run, "steps", &count);
    x = mxMalloc(sizeof(double) * (size_t)(n * count + 1));
    sw_step_states(run, x, n * count);
  } else {
    t = mxGetPr(wanted);
    while (count > 0 && t[count - 1] > reached) --count;
    x = mxMalloc(sizeof(double) * (size_t)(n * count + 1));
    sw_states(run, t, count, SW_AFTER, x, n * count);
  }
  mxSetField(result, 0, "t", column_of(t, count));
  matrix = mxCreateDoubleMatrix((mwSize)count, (mwSize)n, mxREAL);
  rows = mxGetPr(matrix);
  for (k = 0; k < count; ++k)
    for (i = 0; i < n; ++i) rows[i * count + k] = x[k * n + i];
  mxSetField(result, 0, "x", matrix);
  if (sw_count(run, "observed") > 0) {
    const int64_t q = sw_count(run, "observed");
    double *y = mxMalloc(sizeof(double) * (size_t)(q * count + 1));
    sw_observed(run, t, count, y, q * count);
    matrix = mxCreateDoubleMatrix((mwSize)count, (mwSize)q, mxREAL);
    rows = mxGetPr(matrix);
    for (k = 0; k < count; ++k)
      for (i = 0; i < q; ++i) rows[i * count + k] = y[k * q + i];
    mxSetField(result, 0, "observed", matrix);
  }
}

static mxArray *result_of(sw_run *run, const mxArray *times) {
  static const char *fields[] = {"t", "x", "observed", "events", "status", "t_reached", "message", "states", "warnings", "statistics", "final"};
  mxArray *result = mxCreateStructMatrix(1, 1, 11, fields), *statistics = mxCreateStructMatrix(1, 1, 0, NULL);
  double reached = 0, *numbers;
  int64_t count = 0, k;
  mxSetField(result, 0, "status", mxCreateString(sw_status(run, &reached)));
  mxSetField(result, 0, "message", mxCreateString(sw_message(run)));
  mxSetField(result, 0, "t_reached", mxCreateDoubleScalar(reached));
  add_trajectory(run, times, result);
  mxSetField(result, 0, "events", events_of(run));
  mxSetField(result, 0, "states", names_of(run, "states"));
  mxSetField(result, 0, "warnings", names_of(run, "warnings"));
  numbers = list_of(run, "statistics", &count);
  for (k = 0; k < count; ++k) {
    const char *name = sw_name(run, "statistics", k);
    mxAddField(statistics, name);
    mxSetField(statistics, 0, name, mxCreateDoubleScalar(numbers[k]));
  }
  mxSetField(result, 0, "statistics", statistics);
  numbers = list_of(run, "final", &count);
  mxSetField(result, 0, "final", column_of(numbers, count));
  return result;
}

static void check_model(int code, sw_model *model) {
  if (code != SW_OK) fail(code == SW_MODEL ? "slideway:model" : "slideway:argument", sw_message(model), NULL, model);
}

static void set_span(sw_model *model, const char *options, const mxArray *times) {
  const mwSize count = mxGetNumberOfElements(times);
  char span[80];
  check_model(sw_options(model, options), model);
  if (count == 0) return;
  if (count > 1) {
    snprintf(span, sizeof span, "t_start=%.17g t_end=%.17g", mxGetPr(times)[0], mxGetPr(times)[count - 1]);
  } else {
    snprintf(span, sizeof span, "t_end=%.17g", mxGetPr(times)[0]);
  }
  check_model(sw_options(model, span), model);
}

static void solve(sw_model *model, const mxArray *times, mxArray **result, const char *raised) {
  sw_run *run;
  const int code = sw_solve(model, &run);
  if (raised != NULL && raised[0] != '\0') fail("slideway:function", raised, run, model);
  if (code != SW_OK && code != SW_STOPPED) fail(code == SW_MODEL ? "slideway:model" : "slideway:run", sw_message(run), run, model);
  *result = result_of(run, times);
  sw_free(run);
}

static void run_model(const mxArray **arguments, mxArray **result) {
  char *text = mxArrayToString(arguments[0]), *file = mxArrayToString(arguments[1]), *options = mxArrayToString(arguments[3]);
  sw_model *model;
  const int is_file = strchr(file, '/') != NULL || strstr(file, ".toml") != NULL || strstr(file, ".fmu") != NULL;
  const int code = text[0] != '\0' ? sw_parse(text, -1, file, &model) : is_file ? sw_read(file, &model) : sw_find_model(file, &model);
  int k;
  mwSize i;
  check_model(code, model);
  for (k = 0; k < mxGetNumberOfFields(arguments[2]); ++k)
    check_model(sw_set(model, mxGetFieldNameByNumber(arguments[2], k), mxGetScalar(mxGetFieldByNumber(arguments[2], 0, k))), model);
  set_span(model, options, arguments[4]);
  for (i = 0; i < mxGetNumberOfElements(arguments[5]); ++i)
    check_model(sw_observe(model, mxArrayToString(mxGetCell(arguments[5], i))), model);
  solve(model, arguments[4], result, NULL);
  sw_free(model);
}

/* ---- functions of Octave as callbacks ----------------------------------------------------------------------------- */

typedef struct {
  mxArray *field, *guards, *events;
  int64_t n, m;
  char raised[1000];
} functions;

/* values = f(t, x) or f(t, x, lambda), `size` numbers. */
static int call(functions *of, mxArray *function, double t, const double *x, const double *lambda, double *values, int64_t size) {
  mxArray *arguments[4], *result[1] = {NULL}, *error; /* which does not tell the message */
  int count = 3, k;
  if (of->raised[0] != '\0') return SW_CALLBACK_NO_VALUE;
  arguments[0] = function;
  arguments[1] = mxCreateDoubleScalar(t);
  arguments[2] = column_of(x, of->n);
  if (lambda != NULL) arguments[count++] = column_of(lambda, of->m);
  error = mexCallMATLABWithTrap(1, result, count, arguments, "feval");
  for (k = 1; k < count; ++k) mxDestroyArray(arguments[k]);
  if (error != NULL || result[0] == NULL) {
    snprintf(of->raised, sizeof of->raised, "a function fails at t = %.10g; call it there to see why", t);
    return SW_CALLBACK_NO_VALUE;
  }
  if (!mxIsDouble(result[0]) || mxIsComplex(result[0]) || mxIsSparse(result[0])) {
    snprintf(of->raised, sizeof of->raised, "a function returned no full array of real numbers of the class double at t = %.10g", t);
    mxDestroyArray(result[0]);
    return SW_CALLBACK_NO_VALUE;
  }
  if ((int64_t)mxGetNumberOfElements(result[0]) < size) {
    snprintf(of->raised, sizeof of->raised, "a function returned %ld numbers; expected %ld", (long)mxGetNumberOfElements(result[0]), (long)size);
    mxDestroyArray(result[0]);
    return SW_CALLBACK_NO_VALUE;
  }
  memcpy(values, mxGetPr(result[0]), sizeof(double) * (size_t)size);
  mxDestroyArray(result[0]);
  return 0;
}

/* The field at signs of 1 and -1 alone, and linear in each between them. */
static int field(double t, const double *x, const double *lambda, double *dx, void *user) {
  functions *of = user;
  double corner[64], *at;
  int64_t between[64], count = 0, i, c;
  int code = 0;
  if (of->m == 0) return call(of, of->field, t, x, NULL, dx, of->n);
  for (i = 0; i < of->m; ++i) {
    corner[i] = lambda[i];
    if (lambda[i] != 1 && lambda[i] != -1) between[count++] = i;
  }
  if (count == 0) return call(of, of->field, t, x, corner, dx, of->n);
  at = mxMalloc(sizeof(double) * (size_t)of->n);
  for (i = 0; i < of->n; ++i) dx[i] = 0;
  for (c = 0; c < ((int64_t)1 << count) && code == 0; ++c) {
    double weight = 1;
    for (i = 0; i < count; ++i) {
      corner[between[i]] = (c >> i) & 1 ? 1 : -1;
      weight *= (1 + corner[between[i]] * lambda[between[i]]) / 2;
    }
    if (weight == 0) continue;
    code = call(of, of->field, t, x, corner, at, of->n);
    for (i = 0; i < of->n; ++i) dx[i] += weight * at[i];
  }
  mxFree(at);
  return code;
}

static int guards(double t, const double *x, double *h, void *user) {
  functions *of = user;
  return call(of, of->guards, t, x, NULL, h, of->m);
}

/* Event k of the events function is a function of its own for slideway. */
static int event_value(int k, double t, const double *x, double *value, void *user) {
  functions *of = user;
  double all[8];
  const int code = call(of, of->events, t, x, NULL, all, k + 1);
  *value = code == 0 ? all[k] : 0;
  return code;
}
#define EVENT(k) \
  static int event_##k(double t, const double *x, double *value, void *user) { return event_value(k, t, x, value, user); }
EVENT(0) EVENT(1) EVENT(2) EVENT(3) EVENT(4) EVENT(5) EVENT(6) EVENT(7)
static const sw_function event_functions[8] = {event_0, event_1, event_2, event_3, event_4, event_5, event_6, event_7};

/* The error of a function says more than that it has no value. */
static void check_called(int code, sw_model *model, const functions *of) {
  if (code != SW_OK && of->raised[0] != '\0') fail("slideway:function", of->raised, NULL, model);
  check_model(code, model);
}

/* terminal and direction, one number for each event, are what the events function returns beside its values at the start. */
static void run_function(const mxArray **arguments, mxArray **result) {
  static const char *directions[] = {"falling", "any", "rising"};
  functions of;
  sw_model *model;
  char *options = mxArrayToString(arguments[6]), name[20];
  const mwSize events = mxGetNumberOfElements(arguments[4]);
  mwSize k;
  int code;
  memset(&of, 0, sizeof of);
  of.field = (mxArray *)arguments[0];
  of.guards = (mxArray *)arguments[1];
  of.events = (mxArray *)arguments[3];
  of.m = (int64_t)mxGetScalar(arguments[2]);
  of.n = (int64_t)mxGetNumberOfElements(arguments[5]);
  if (of.m > 64 || events > 8) mexErrMsgIdAndTxt("slideway:argument", "a function has up to 64 surfaces and 8 events");
  code = sw_define(of.n, of.m, NULL, field, of.m > 0 ? guards : NULL, &of, &model);
  check_called(code, model, &of);
  check_called(sw_set_initial(model, mxGetPr(arguments[5]), of.n), model, &of);
  for (k = 0; k < events; ++k) {
    const int direction = (int)mxGetPr(arguments[8])[k];
    snprintf(name, sizeof name, "%d", (int)k + 1);
    check_called(sw_add_event(model, name, directions[direction < 0 ? 0 : direction > 0 ? 2 : 1], mxGetPr(arguments[4])[k] != 0 ? "stop" : "record",
                              event_functions[k], NULL),
                 model, &of);
  }
  check_called(sw_options(model, options), model, &of);
  set_span(model, "", arguments[7]);
  solve(model, arguments[7], result, of.raised);
  sw_free(model);
}

void mexFunction(int results, mxArray *result[], int count, const mxArray *arguments[]) {
  char *what = count > 0 ? mxArrayToString(arguments[0]) : NULL;
  (void)results;
  if (what != NULL && strcmp(what, "model") == 0 && count == 7)
    run_model(arguments + 1, &result[0]);
  else if (what != NULL && strcmp(what, "function") == 0 && count == 10)
    run_function(arguments + 1, &result[0]);
  else
    mexErrMsgIdAndTxt("slideway:argument", "slideway_mex is called by slideway_solve and slide45");
}
