/* The C interface of slideway, which integrates ordinary differential equations whose right-hand side jumps.
 *
 *     sw_model *model;  sw_run *run;  double x[2], t = 10;
 *     if (sw_read("friction.toml", &model) != SW_OK) { puts(sw_message(model)); return 1; }
 *     sw_set(model, "mu", 0.3);                              a parameter, or the initial value of a state
 *     sw_options(model, "rtol=1e-8 t_end=20");
 *     sw_solve(model, &run);
 *     sw_states(run, &t, 1, SW_AFTER, x, 2);                 the state at t = 10
 *     sw_free(run);  sw_free(model);
 *
 * Handles. sw_model, sw_run, sw_orbit, sw_fit, sw_findings, sw_live and sw_saved are opaque. A function that makes one makes it even where it
 * fails, so that sw_message() can tell why; it sets NULL only where memory is out or an argument is NULL. Every handle is
 * given back by sw_free(), in any order: a run does not need its model.
 *
 * Errors. A function that returns int returns SW_OK or one of the other codes, and then sw_message() of its first handle (or
 * of the one that it makes) says in English what is wrong and what was expected. Nothing is thrown, printed or aborted.
 *
 * Texts are UTF-8 and end with a zero. A text that is returned belongs to its handle and is valid up to the next call
 * of a function with this handle. Texts that are passed in are copied.
 *
 * Numbers go into buffers of the caller, whose capacity is the number of doubles that they hold. A buffer that is too small is
 * left as it is, and the answer is SW_SPACE. Matrices are stored column by column.
 *
 * Units are those of the model. n is its number of states, m that of its switching surfaces.
 *
 * Threads. A handle is used by one thread at a time, with two exceptions: sw_stop() may be called from any thread, and several
 * threads may run sw_solve() with one model at once if nobody changes it meanwhile and its callbacks can bear it.
 */
#ifndef SLIDEWAY_H
#define SLIDEWAY_H

#include <stdint.h>

#if defined(SLIDEWAY_BUILDING_C) && defined(_WIN32)
#define SW_API __declspec(dllexport)
#elif defined(SLIDEWAY_BUILDING_C) && defined(__GNUC__)
#define SW_API __attribute__((visibility("default")))
#else
#define SW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the binary interface that this header describes. It grows by one where a program that was compiled with an older
 * header would no longer work; functions and words that are added leave it as it is. */
#define SW_ABI 1

/* Codes. */
#define SW_OK 0
#define SW_STOPPED 1 /* the result is there, but ends early: sw_status() and sw_message() say where and why */
#define SW_MODEL 2   /* the model has mistakes, or cannot be followed as it is */
#define SW_MISUSE 3  /* an argument makes no sense: an unknown name, a wrong number, a NULL */
#define SW_ABSENT 4  /* what is asked for is not there: a time outside of the run, derivatives that were not computed */
#define SW_SPACE 5   /* the buffer is too small */
#define SW_MEMORY 6  /* memory is out */
#define SW_FAILED 7  /* anything else, such as a file that cannot be written */

/* The two sides of an event at a time. */
#define SW_BEFORE 0
#define SW_AFTER 1
/* sw_states() alone: as SW_AFTER, and outside of the run what its first and its last step go on with. */
#define SW_BEYOND 2

typedef struct sw_model sw_model; /* a model, with what is set for its runs */
typedef struct sw_run sw_run;     /* a run that is over */
typedef struct sw_orbit sw_orbit; /* a periodic orbit */
typedef struct sw_fit sw_fit;     /* parameters that were fitted to measurements */
typedef struct sw_live sw_live;   /* a run that the caller drives step by step */
typedef struct sw_saved sw_saved; /* where a live run was */
typedef struct sw_findings sw_findings; /* what a search, a section or a file of measurements holds: a document and lists */

/* ---- all handles ------------------------------------------------------------------------------------------------ */

/* The SW_ABI of the library that is loaded; a program compares it with its own. */
SW_API int sw_abi(void);

/* The version of the library, "0.1.0". It belongs to the library. */
SW_API const char *sw_version(void);

/* Says why the last function with this handle failed; of a run, why it ended where it did. "" where there is nothing to say. Never
 * NULL; a NULL handle is told as out of memory. */
SW_API const char *sw_message(const void *handle);

/* Gives a handle of any kind back. NULL is allowed. */
SW_API void sw_free(void *handle);

/* The number of entries of a list of the handle, -1 where it has no such list. sw_name() gives an entry, sw_values()
 * numbers. Lists of names:
 *   model  "name" "summary" "source" (of one entry each) "states" "surfaces" "contacts" "events" "locations" "parameters"
 *          "descriptions" (of the parameters) "equations" "remarks" "labels" "units" (as "x=position") "defaults" (options of the model's own) "options" "observed" "mistakes"
 *   run    "states" "surfaces" "contacts" "parameters" "observed" "events" (their kinds) "statistics" "warnings" "sensitivities"
 *          (by what there are derivatives) "gradients" (likewise, of the last sw_gradients()) "left_out" (what these leave out)
 *          "branches" (modes at their starts) "modes" and "locations" (at the start and at the end) "segments" (the modes between events) "segment_locations"
 *          "audit" ("passed", "failed" or "not_made", and the state with the largest defect) "contradictions" (what the audit found, in
 *          words) "contradicted" (their states, events or contacts)
 *   orbit  "states" "multipliers" (their kinds)
 *   fit    "parameters" "quantities"
 *   live   "states" "surfaces" "events" (their kinds)
 *   findings of sw_find_equilibria() "states" "kinds" "stability"; of sw_find_basins() "states" "ends" "attractors" (their kinds); of
 *          sw_find_diagram() "states" "kinds"; of sw_read_measurements() "quantities"; of sw_catalogue() "names" "summaries"
 * Lists of numbers:
 *   model  "initial" (n, at the start) "parameters" "span" (start and end of a run)
 *   run    "initial" "final" (n) "span" (start, and the time up to which the solution holds) "parameters" "events" (times)
 *          "steps" (times, two where the state jumps) "step_segments" (their segments) "segments" (their starts, then the end) "statistics" "exists_until" (derivatives) "complete" (1, or 0 where a motion of the branches was not followed)
 *          "audit" (points, undecided ones, largest defect in units of what is allowed, its time) "contradictions" (from and to by turns)
 *   orbit  "initial" (n) "period" "multipliers" (real and imaginary part by turns) "monodromy" (n × n) "residual"
 *   fit    "parameters" "errors" (standard errors) "covariance" (q × q) "residuals" (quantities × times) "sum_of_squares" "deviation"
 *   live   "state" (n)
 *   saved  "t"
 *   findings of sw_find_equilibria() "states" (n × count); of sw_find_exponents() "exponents" (n) "errors" (n); of sw_section()
 *          "times" "states" (n × count); of sw_read_measurements() "times" "values" (quantities × times);
 *          of sw_samples() "samples" (count × ranges); of sw_find_basins() "cells" (across × up, row by row from below: an entry of "ends",
 *          -1 where a cell was not followed) "fractions" (of the cells, by ends) "sampled" "errors" (of random samples, and the standard errors)
 *          "attractor_of_end" (-1 for ends that are none) "attractors" (n × count, a point of each) "dimension" "uncertainty" (an exponent
 *          and its standard error, NaN where it is not known); of sw_find_diagram() "forward" "backward" (across × up: entries of "kinds", or
 *          -1) "coexisting" (likewise: 1 or 0) */
SW_API int64_t sw_count(const void *handle, const char *list);

/* Entry `index`, from 0, of a list of names; NULL where there is none. */
SW_API const char *sw_name(const void *handle, const char *list, int64_t index);

/* The index of an entry of a list of names; -1 where there is none, and sw_message() tells the nearest. */
SW_API int64_t sw_index(const void *handle, const char *list, const char *name);

/* All entries of a list of numbers. *count, unless it is NULL, becomes their number, also where the answer is SW_SPACE;
 * `values` may be NULL to ask for that alone. */
SW_API int sw_values(const void *handle, const char *list, double *values, int64_t capacity, int64_t *count);

/* A document, of *length bytes; `length` may be NULL.
 *   model  "check"   JSON of schema slideway.check/1: are derivatives right, is the start well posed, which method suits it?
 *   run    "json"    JSON of schema slideway.run/1: how it ended, all events, statistics
 *          "page"    one HTML page with pictures
 *          "picture" JSON of the curves, modes and events that the page draws, in the form of this version
 *          "csv"     the trajectory as a table
 *   orbit  "json"    JSON of schema slideway.orbit/1
 *   fit    "json"    JSON of schema slideway.fit/1
 *   findings  "json"  of the schema that their function names */
SW_API int sw_document(void *handle, const char *format, const char **text, int64_t *length);

/* Ends the runs that other threads follow with this model at their next step; they answer SW_STOPPED, with the status
 * "stopped_by_caller". Of a live run, the call under way. Searches with the model (orbits, fits, equilibria, exponents, comparisons, manifolds, basins, diagrams) end soon, too, with
 * what they have found. Runs and searches that begin later are not concerned. */
SW_API int sw_stop(void *handle);

/* ---- models ----------------------------------------------------------------------------------------------------- */

/* Reads a model from text of `length` bytes, or up to its zero where `length` is negative. `file_name` is what messages call it; NULL:
 * "model.toml". SW_MODEL: sw_count(model, "mistakes") and sw_mistake() tell all mistakes, sw_message() is the report with
 * the lines of the text. Such a model can only be asked for them and given back. */
SW_API int sw_parse(const char *text, int64_t length, const char *file_name, sw_model **model);

/* The same for a file. Its tables of data are looked for beside it. A file whose name ends in .fmu is an FMU, read without options. */
SW_API int sw_read(const char *path, sw_model **model);

/* Reads an FMU of FMI 2.0 or 3.0, which is then a model as others are: sw_set() sets its parameters, inputs and start values, and sw_observe()
 * asks for its variables. Model Exchange is taken where the FMU has both kinds. Options, as of sw_options():
 *   co_simulation       true: Co-Simulation where the FMU has both kinds
 *   communication_step  the time between two communication points, which asks for Co-Simulation; that of the FMU, or a thousandth of its run
 *   inputs              a file of comma-separated values: a column time, and columns by the names of inputs
 *   isolate             true: the binary runs in a process of its own, and a crash or a hang ends the run
 *   patience            how many seconds a call of an isolated binary may take; 60
 *   log                 categories of its messages that are printed, "logEvents,logStatusError"; all for every one
 * SW_MISUSE where the file is no FMU, or cannot be run here, and in libraries for Windows and WebAssembly, which read no FMUs. A run that the FMU
 * fails in is SW_STOPPED, with the status "user_function_failed". Each run has an instance of the FMU: where the FMU allows for one at a time, give a
 * run back before the next one begins. sw_live_restore() takes what the same live run has saved. Derivatives are found by differences. */
SW_API int sw_read_fmu(const char *path, const char *options, sw_model **model);

/* A model of the catalogue, "evaporator", which is compiled in. sw_catalogue() lists their "names" and "summaries". Neither is in the library
 * for WebAssembly, nor are sw_compare() and sw_samples(). */
SW_API int sw_find_model(const char *name, sw_model **model);
SW_API int sw_catalogue(sw_findings **found);

/* Mistake `index` of a model: line and column count from 1, in characters; line 0 is the file as a whole. The first line of the
 * text is "file:line:column: what, expected, got"; a second line, where there is one, says what to write instead. */
SW_API int sw_mistake(const sw_model *model, int64_t index, int64_t *line, int64_t *column, const char **text);

/* Another handle of the same model, with the settings, options and quantities that it has now; functions of sw_on_step() and the like are not taken
 * over. Nothing is read again. SW_MISUSE for a model of callbacks, or with events that are callbacks. */
SW_API int sw_copy(const sw_model *model, sw_model **copy);

/* Sets a parameter, or the initial value of a state. Initial values that are formulas of parameters follow these. */
SW_API int sw_set(sw_model *model, const char *name, double value);

/* The value of a parameter, or the initial value of a state, as a run would have it. */
SW_API int sw_get(const sw_model *model, const char *name, double *value);

/* Sets options, as in "rtol=1e-8 method=bdf t_end=20"; all or, where one makes no sense, none. A value with blanks stands between
 * ' and '. An empty value, "rtol=", takes an option back. They beat the model's own, which beat the defaults.
 *   t_start t_end                    the span of a run, in the model's unit of time
 *   location mode                    in which it begins, as where another run ended; found by itself without them
 *   rtol atol max_step               numbers; atol may be one per state, "1e-6,1e-9"
 *   max_events max_steps             whole numbers, beyond which a run stops
 *   method                           auto bdf adams dopri5 dop853 rodas
 *   linear_solver                    auto dense band klu gmres
 *   on_ambiguity                     stop minus plus slide branches: with branches sw_solve() follows all motions, and sw_branch() has them
 *   sliding_rule selection           filippov moments equivalent-control; consistent korobitsyn-frolova
 *   local_events                     auto on off
 *   full_events                      true false: states and modes in the events of large systems
 *   recording                        dense nothing: without it there is no trajectory
 *   audit                            off quick full: compare the run with its model file, or its callbacks
 *   sensitivities                    names of parameters and states, "mu,v": derivatives by them
 *   checkpoint                       a file that checkpoints are written to
 *   checkpoint_seconds checkpoint_steps  between two of them; 60 seconds */
SW_API int sw_options(sw_model *model, const char *options);

/* Asks for a quantity beside the states: a name that the model knows, as that of a force, or "E = 0.5*v^2". NULL forgets all. The handle is a
 * model, for its runs, or a run. */
SW_API int sw_observe(void *handle, const char *quantity);

/* dx = f(t, x, lambda) of any model, n, m and n numbers; `location` NULL is the initial one. */
SW_API int sw_field(const sw_model *model, double t, const double *x, const double *lambda, const char *location, double *dx);

/* The m guards of any model at (t, x). */
SW_API int sw_guards(const sw_model *model, double t, const double *x, double *h);

/* Called after every step of a run, with its end, its state and what was given for `user`. Anything but 0 ends the run. */
typedef int (*sw_step_function)(double t, const double *x, int64_t n, void *user);
SW_API int sw_on_step(sw_model *model, sw_step_function function, void *user);

/* Called a few times a second during sw_find_basins() and sw_find_diagram(), by the thread that asked for them, with the numbers of starts or cells
 * that are done and of all. Anything but 0 ends the search with what it has found. NULL takes it back. */
typedef int (*sw_progress_function)(int64_t done, int64_t total, void *user);
SW_API int sw_on_progress(sw_model *model, sw_progress_function function, void *user);

/* ---- models by callbacks ----------------------------------------------------------------------------------------
 *
 *     x' = f(t, x, lambda),    lambda[i] = the sign of guard i
 *
 * A callback returns 0; SW_CALLBACK_STOP to end the run after this step, its values being right; or SW_CALLBACK_NO_VALUE where
 * it has none, upon which a smaller step is tried. It must not change x, nor call slideway with the same handle. */
#define SW_CALLBACK_STOP 1
#define SW_CALLBACK_NO_VALUE (-1)

/* dx = f(t, x, lambda): n, m and n numbers. On a surface lambda is between -1 and 1, so f must be a formula of lambda that is linear
 * in each of its entries, and must not ask for their signs. */
typedef int (*sw_field_function)(double t, const double *x, const double *lambda, double *dx, void *user);
/* Sets `values` at (t, x): m guards, one gap, n forces, … */
typedef int (*sw_function)(double t, const double *x, double *values, void *user);
/* `after` comes as a copy of `before`, n numbers each. */
typedef int (*sw_jump_function)(double t, const double *before, double *after, void *user);
/* The field's derivative along (t_dot, x_dot, lambda_dot), n numbers: f_t t_dot + f_x x_dot + f_lambda lambda_dot. */
typedef int (*sw_field_along_function)(double t, const double *x, const double *lambda, double t_dot, const double *x_dot,
                                       const double *lambda_dot, double *dx_dot, void *user);
/* The derivative of what an sw_function sets, along (t_dot, x_dot). */
typedef int (*sw_along_function)(double t, const double *x, double t_dot, const double *x_dot, double *values_dot, void *user);

/* A model of n ≥ 1 states and m ≥ 0 surfaces; `guards` may be NULL where m = 0. `names` are those of the states and then of the
 * surfaces, "x v slip", or NULL for x1 x2 … h1 h2 …. A run begins at zero, at t = 0, and ends at 1 unless sw_set(),
 * sw_set_initial() and sw_options() say otherwise. `user` is passed to every callback, and must live as long as the model and
 * its runs. A parameter that derivatives are wanted by is a state whose derivative is 0. */
SW_API int sw_define(int64_t n, int64_t m, const char *names, sw_field_function field, sw_function guards, void *user,
                     sw_model **model);

/* Sets all n initial values of any model. */
SW_API int sw_set_initial(sw_model *model, const double *x, int64_t n);

/* Says that the last so many states are discrete, as the output of a sampled controller or an input that a live run sets: they change by
 * jumps alone, and the field sets their derivatives to 0. */
SW_API int sw_set_discrete(sw_model *model, int64_t count);

/* Exact derivatives of field and guards in place of differences; either may be NULL. */
SW_API int sw_set_derivatives(sw_model *model, sw_field_along_function field_along, sw_along_function guards_along);

/* The matrix of the field's derivatives by the states at (t, x, lambda), n × n numbers, which come as zeros. */
typedef int (*sw_matrix_function)(double t, const double *x, const double *lambda, double *derivatives, void *user);
/* That matrix in place of differences; NULL takes it back. */
SW_API int sw_set_jacobian(sw_model *model, sw_matrix_function jacobian);

/* Which derivatives can differ from zero, of "field_x" (n × n), "field_lambda" (n × m) or "guards_x" (m × n): row i has
 * the columns columns[starts[i]] … columns[starts[i + 1] - 1], increasing, from 0. Large systems need all three. */
SW_API int sw_set_pattern(sw_model *model, const char *derivative, const int64_t *starts, const int64_t *columns);

/* Says what is true of the model, in words with blanks between; runs are then faster, and a model that does not keep to it is refused.
 *   guards_affine    every guard is a formula of first degree in t and x
 *   relays_additive  f is the sum of what lambda[i] is multiplied by, and these factors are constant: relays, Coulomb friction
 *   field_affine     f is a formula of first degree in t, x and lambda together */
SW_API int sw_declare(sw_model *model, const char *properties);

/* An event of any model where `guard` (one value) crosses zero, "rising", "falling" or in "any" direction: it ends the run where `action` is "stop",
 * is noted where it is "record", and `jump` moves the state where it is "reset"; NULL otherwise. The `user` of a model that is a file is NULL. */
SW_API int sw_add_event(sw_model *model, const char *name, const char *direction, const char *action, sw_function guard,
                        sw_jump_function jump);

/* The times offset, offset + period, … at which `jump` moves the state; one time where the period is 0. */
SW_API int sw_add_times(sw_model *model, const char *name, double offset, double period, sw_jump_function jump);

/* Says more about the event, the times or the edge of this name; of several the one that was added last. Options, as of sw_options():
 *   delay         of a reset or an edge: it acts so much later than its guard is zero, at an exact time
 *   values sets   trigger or execution: the state from which a delayed jump computes; with trigger, the states that it sets, "x,v"
 *   priority      a whole number; among the jumps of one instant the highest is first
 *   initially     fire or wait, where the guard is beyond zero at the start of the run already
 *   at_zero       holds or fails: whether the condition, as g >= 0 or g > 0, holds where the guard comes to zero and
 *                 rests there; it fires where it comes to hold
 *   across_jumps  false: it waits for the flow to cross; a jump beyond zero is no crossing
 *   count         of times: how many there are
 *   zeno          of an edge: the location to go on in where its firings accumulate */
SW_API int sw_event_options(sw_model *model, const char *name, const char *options);

/* Adds a location, with a field and guards of its own; NULL: those of sw_define(). The first one added is the one that a run begins in. All have
 * the same states, surfaces, events and contacts. sw_set_derivatives(), sw_set_jacobian(), sw_set_pattern() and sw_declare() are about
 * sw_define()'s functions before the first call, and about the last location after it. */
SW_API int sw_add_location(sw_model *model, const char *name, sw_field_function field, sw_function guards);

/* An edge from a location to another one, taken where `guard` (one value) crosses zero in this direction, and at once where a location is
 * entered beyond it; `jump` moves the state, or is NULL. Two edges that undo each other across one guard function, without jumps, are
 * a switching surface: solutions may slide between their locations. */
SW_API int sw_add_edge(sw_model *model, const char *name, const char *from, const char *to, const char *direction, sw_function guard,
                       sw_jump_function jump);

/* Static friction above the kinetic level: `above` sets m ratios ≥ 1, and while surface i is held, lambda[i] is in [-below[i], above[i]];
 * `below` NULL: the same in both directions. */
SW_API int sw_set_break_away(sw_model *model, sw_function above, sw_function below);

/* A unilateral constraint gap(t, x) ≥ 0, kept by a force that enters the derivatives by the n numbers of `acts_on`; `restitution` in
 * [0, 1]. With friction, guard `surface` of the model is the velocity of the two bodies on each other, `friction` how a unit of
 * its force enters the derivatives, and `coefficient` ≥ 0; `friction` is NULL without. */
SW_API int sw_add_contact(sw_model *model, const char *name, sw_function gap, sw_function acts_on, double restitution,
                          int64_t surface, sw_function friction, double coefficient);

/* Friction of a contact in the plane of its surfaces, in place of that along a line: `velocities` sets two velocities of the bodies on each other,
 * along orthogonal directions; `acts_on` sets 2 n numbers, how a unit of force in the first and then in the second enters the derivatives.
 * Its size is at most `coefficient` times the force of the contact, and `at_rest` ≥ 1 times that while they stick. */
SW_API int sw_add_cone(sw_model *model, const char *contact, sw_function velocities, sw_function acts_on, double coefficient, double at_rest);

/* Says more about a contact. Options, as of sw_options():
 *   impact_law       newton or poisson: the restitution relates velocities, or impulses
 *   impact_friction  followed or at_end: friction is against the velocity at each moment of an impact, or at its end */
SW_API int sw_contact_options(sw_model *model, const char *contact, const char *options);

/* Functions of a contact in place of its numbers, one value each; NULL leaves the number. `restitution` gets the speed of approach, above 0, in
 * the place of t; `coefficient` is that of the friction, along a line or in a plane. */
SW_API int sw_contact_functions(sw_model *model, const char *contact, sw_function restitution, sw_function coefficient);

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* Follows the model from its initial state to its end. SW_OK: it came to the end or to a stop; SW_STOPPED: it ended early, with all
 * results up to there. The model may be changed or given back afterwards. */
SW_API int sw_solve(const sw_model *model, sw_run **run);

/* Branch `index` of a run with the option on_ambiguity=branches, as a run with branches of its own: the motion in the mode
 * sw_name(run, "branches", index) from where the run ends as ambiguous. At most 64 motions are followed; sw_values(run, "complete") is 0 where
 * there are others. There are no derivatives and no checkpoints. */
SW_API int sw_branch(const sw_run *run, int64_t index, sw_run **branch);

/* Goes on with a run from a checkpoint that sw_solve() wrote with the option `checkpoint`, bit for bit. The model must be the same. */
SW_API int sw_resume(const sw_model *model, const char *path, sw_run **run);

/* How the run ended: "reached_end" "stopped_by_event" "ambiguous" "zeno" "chattering" "step_failure" "step_limit"
 * "user_function_failed" "stopped_by_caller". NULL where the run could not begin.
 * *t, unless it is NULL, becomes the time up to which the solution holds. */
SW_API const char *sw_status(const sw_run *run, double *t);

/* One text of event `index` of a run or a live run, NULL where it has none:
 *   "kind" ("crossing" "sliding_entry" "sliding_exit" "corner" "grazing" "reset" "sample" "transition" "impact" "contact" "release"
 *   "zeno" "repelling" "two_fold" "ambiguous" "record" "stop"), "name" (of a reset, stop, record, edge or contact), "surfaces" (their
 *   names, with blanks between), "reason", "before" and "after" (the modes, a word of - 0 + for each surface and contact), "location_before",
 *   "location_after", "codeword", "continuations" and "in_convex_hull" (modes, with blanks between), "line" (all of it in one line) */
SW_API const char *sw_event_text(const void *handle, int64_t index, const char *what);

/* Numbers of event `index`, as sw_values(): "t", "surfaces" (their indices; contacts come after the m surfaces), "before" and "after" (n; none in events of more than 100
 * states unless full_events=true), "w_minus" "w_plus" "lambda" (per surface of the event; NaN without meaning), "round", and
 * with sensitivities "time_derivative" (q), "derivative_before" and "derivative_after" (n × q). Where the derivative does not go on through the event,
 * sw_event_text() tells its "derivative_reason", and "time_below" "time_above" (q) "derivative_below" "derivative_above" (n × q) are those towards
 * smaller and larger values, none where they are not known. SW_START in the place of `index` is the start of a run, where it lies on a surface at
 * which derivatives jump; SW_ABSENT where it does not. */
#define SW_START (-1)
SW_API int sw_event_values(const void *handle, int64_t index, const char *what, double *values, int64_t capacity,
                           int64_t *count);

/* The states at `count` times within the run, in any order: n × count numbers. `side` is SW_BEFORE or SW_AFTER, of a jump at a
 * time. SW_ABSENT where a time is outside, but for SW_BEYOND. */
SW_API int sw_states(const sw_run *run, const double *t, int64_t count, int side, double *x, int64_t capacity);

/* The states at the times of sw_values(run, "steps"), n × count, with both sides of each jump. */
SW_API int sw_step_states(const sw_run *run, double *x, int64_t capacity);

/* The mode at t, a word of - 0 + for each surface and contact; *location, unless it is NULL, becomes the location, or NULL. */
SW_API const char *sw_mode(const sw_run *run, double t, const char **location);

/* The quantities asked for by sw_observe(), at `count` times: quantities × count numbers, NaN where there is no value. */
SW_API int sw_observed(const sw_run *run, const double *t, int64_t count, double *y, int64_t capacity);

/* The same at the times of sw_values(run, "steps"), with both sides of each jump, as sw_step_states() has the states. */
SW_API int sw_step_observed(const sw_run *run, double *y, int64_t capacity);

/* The derivatives of the states by the q names of the option `sensitivities`, n × q × count numbers; sides as in sw_states(). They
 * exist up to the time sw_values(run, "exists_until"). */
SW_API int sw_derivatives(const sw_run *run, const double *t, int64_t count, int side, double *derivatives, int64_t capacity);

/* The gradients at the end of the run of `count` quantities (states, or as for sw_observe()) by all parameters and initial values, found
 * backwards: count × q numbers; sw_count(run, "gradients") is q, and sw_name() tells by what. NaN where there is none. With
 * `gradients` NULL it computes them, to be asked for their number. */
SW_API int sw_gradients(sw_run *run, const char *const *quantities, int64_t count, double *gradients, int64_t capacity);

/* ---- orbits and fits -------------------------------------------------------------------------------------------- */

/* A periodic orbit near the motion of the model, stable or not. Options, as of sw_options():
 *   section direction returns   the name of a surface or event that it comes back to; rising falling any; after so many
 *   period                      a number or formula of parameters, where the equations depend on time
 *   transient                   how long the model is followed first; as far as a run without it
 *   shots iterations            of the search
 * SW_STOPPED where none was found; sw_message() says why. */
SW_API int sw_find_orbit(const sw_model *model, const char *options, sw_orbit **orbit);

/* Fits the parameters, "mu k", to measurements of `count` quantities (states, or as for sw_observe()) at `times` times: values are
 * count × times numbers, NaN where nothing was measured; deviations, one for each quantity, or NULL where they are unknown. Options:
 * max_runs, and tolerance: the relative change of the parameters at which it ends. SW_STOPPED where it did not converge. */
SW_API int sw_find_parameters(const sw_model *model, const char *parameters, const char *const *quantities, int64_t count,
                              const double *t, int64_t times, const double *values, const double *deviations,
                              const char *options, sw_fit **fit);

/* One round of an orbit, as a run. SW_ABSENT where none was found. */
SW_API int sw_orbit_run(const sw_orbit *orbit, sw_run **run);

/* Follows the orbit of sw_find_orbit() along a parameter. Options are those, with
 *   vary          "mu:0:1:21": the parameter, its first and last value, and how many; two of them, with a comma between, for curves of bifurcations in
 *                 the plane of both
 *   bifurcation   of curves: SN PD NS GR GS CS SS AS; without it, the kind of the first bifurcation on the branch in the first parameter
 * "json" is of schema slideway.orbit-branch/1, or slideway.orbit-curves/1. SW_STOPPED where the branch ends early, or where there is no curve. The
 * model is a file. */
SW_API int sw_follow_orbit(const sw_model *model, const char *options, sw_findings **found);

/* Sets *period to the period of the drive at `count` values of the parameters of vary, in their order. Anything but 0 says that there is none. */
typedef int (*sw_period_function)(const double *values, int64_t count, double *period, void *user);
/* A function in the place of the option period of sw_follow_orbit(). It is called by the thread that follows. NULL takes it back. */
SW_API int sw_set_period(sw_model *model, sw_period_function function, void *user);

/* Searches for equilibria, those on surfaces and those of closed contacts included. Options, as of sw_options():
 *   box      "x:-1:1,v:0:2": the least and the greatest value of states
 *   starts   how many points the search begins at
 *   vary     as of sw_follow_orbit(): branches of equilibria, or curves of their bifurcations, of a model that is a file
 *   bifurcation   of curves: SN HB BE; without it, those of all bifurcations on the branches in the first parameter
 * "json" is of schema slideway.equilibria/1, slideway.equilibrium-branches/1 or slideway.equilibrium-curves/1. */
SW_API int sw_find_equilibria(const sw_model *model, const char *options, sw_findings **found);

/* The stable and unstable manifolds of saddles and pseudo-saddles. Options, as of sw_options():
 *   only         stable or unstable; both without it
 *   length time  of each piece: its arclength, and the time of its run at most
 *   fan          how many solutions to each side, where the past or the future is not unique
 *   box starts   as of sw_find_equilibria()
 *   period section direction returns transient   as of sw_find_orbit(): manifolds of an orbit, as curves in a section. With a period the transient is 0.
 *   max_runs     bounds the runs of each of these curves
 *   connect      "x:0.5", a section, with vary of one parameter: homoclinic and heteroclinic connections, where the gap at the section vanishes
 * "json" is of schema slideway.manifolds/1, slideway.orbit-manifolds/1 or slideway.connections/1. SW_ABSENT where no orbit was found. */
SW_API int sw_find_manifolds(const sw_model *model, const char *options, sw_findings **found);

/* What the starts of a plane come to: basins of attraction. Options, as of sw_options():
 *   plane        "x:-2:2,v:-1:1": two states, the first across; the others begin as the model does
 *   size         the number of cells, 512 or 512x256; 256
 *   period       of the drive or a multiple of it, a number or a formula of parameters, where the equations depend on time
 *   step         the time between two looks at a solution, where they do not
 *   wrap         "theta:2*pi": states that are angles, and their periods
 *   max_rounds   periods or steps that a start is followed for; 5000
 *   reach        a solution that stays outside of the plane widened by this many widths has left; 10
 *   thorough     true: every start is followed to an attractor
 *   samples seed of random starts, which are always followed; 4000 and 1
 *   jobs         threads; one per processor, and 1 for a model of callbacks, which must bear more where more are asked for
 *   csv resume   a table of the cells, which is kept valid on the way; true: complete the table of an interrupted search
 * "json" is of schema slideway.basins/1. SW_STOPPED where it was interrupted. It is not in the library for WebAssembly, nor are sw_find_manifolds() and
 * sw_find_diagram(). */
SW_API int sw_find_basins(const sw_model *model, const char *options, sw_findings **found);

/* Which attractors solutions come to in a plane of two parameters, by continuation in both directions, with the curves of bifurcations between.
 * The model is a file. Options are plane (of parameters), size (64), period, step, wrap, max_rounds, reach (100), jobs, csv and resume as of sw_find_basins(), with
 *   parts         of the range of each state, by which a solution is seen to come back; 100
 *   no_curves     true: colours alone
 *   curve_rounds  periods of the orbits whose curves are followed, at most; 8
 *   max_curves    bifurcations that are looked for between cells, at most; 120
 * "json" is of schema slideway.diagram/1. SW_STOPPED where it was interrupted. */
SW_API int sw_find_diagram(const sw_model *model, const char *options, sw_findings **found);

/* The Lyapunov exponents of a run. Options, as of sw_options():
 *   transient   how long the model is followed first; a tenth of the span
 *   block       the time between two orthonormalisations; a thousandth of the rest
 * "json" is of schema slideway.lyapunov/1. */
SW_API int sw_find_exponents(const sw_model *model, const char *options, sw_findings **found);

/* Filippov's solution beside hysteresis, smoothing, naive integration, Euler and others. Options, as of sw_options():
 *   epsilon step error   of the methods that are compared, and the error at which they are compared once more
 *   bisections checkpoints levels repeats max_evaluations
 * "json" is of schema slideway.compare/1. */
SW_API int sw_compare(const sw_model *model, const char *options, sw_findings **found);

/* Samples of ranges, "0:1 0.1:10:log", drawn "random" or as a "latin" hypercube: the list "samples", count numbers for each range. The same
 * seed gives the same samples on every machine. */
SW_API int sw_samples(const char *ranges, int64_t count, int64_t seed, const char *how, sw_findings **found);

/* The arrivals of a run at a surface or event, "rising", "falling" or in "any" direction. It has no document. */
SW_API int sw_section(const sw_run *run, const char *name, const char *direction, sw_findings **found);

/* Reads measurements for sw_find_parameters() from a file of comma-separated values: a line of names, then rows, of which the first cell is the
 * time. It has no document. */
SW_API int sw_read_measurements(const char *path, sw_findings **found);

/* ---- live runs -------------------------------------------------------------------------------------------------- */

/* Begins a run that the caller drives, at the model's start. The end of the model's span is a forecast: it may be passed. Where nothing
 * is set on the way, events and states are those of sw_solve(), bit for bit. There are no sensitivities, and no audit. */
SW_API int sw_live_begin(const sw_model *model, sw_live **live);

/* Goes on to t, through all events, those at t included. SW_STOPPED where the run ends before: sw_live_status() says how. After a stop
 * event, sw_stop() or a bound on steps it goes on when it is asked again; otherwise it has ended until something is set. */
SW_API int sw_live_advance(sw_live *live, double t);

/* Goes on to the next instant with an event, but not beyond t. *event, unless it is NULL, becomes the number of its first event, for
 * sw_event_text(), or -1 where there was none up to t. */
SW_API int sw_live_next_event(sw_live *live, double t, int64_t *event);

/* The status of the run, as of sw_status(); "reached_end" where it has come to where it was asked to. *t, unless it is NULL, becomes
 * its time. */
SW_API const char *sw_live_status(const sw_live *live, double *t);

/* The state, n numbers; and a new one, from which the run goes on in the mode that follows there. */
SW_API int sw_live_states(const sw_live *live, double *x, int64_t n);
SW_API int sw_live_set_states(sw_live *live, const double *x, int64_t n);

/* Sets a discrete state, such as an input, by its number: sw_index(live, "states", name). */
SW_API int sw_live_set(sw_live *live, int64_t state, double value);

/* The mode where the run is, a word of - 0 + for each surface and contact; *location, unless it is NULL, becomes the location, or NULL. */
SW_API const char *sw_live_mode(const sw_live *live, const char **location);

/* Goes on in this mode, one of the "continuations" of an event at which several motions are possible. */
SW_API int sw_live_follow(sw_live *live, const char *mode);

/* Says that callbacks read something that has changed since the last advance, as a parameter behind `user`. */
SW_API int sw_live_changed(sw_live *live);

/* sw_live_save() keeps where the run is. It ends the integrator's step there, so that this run goes on with the same steps as one that is
 * restored, bit for bit; these steps may differ within the tolerances from those of a run without a save. sw_live_restore() goes back to
 * what was saved, any number of times, also in another sw_live of the same model. It forgets what was recorded since. */
SW_API int sw_live_save(sw_live *live, sw_saved **saved);
SW_API int sw_live_restore(sw_live *live, const sw_saved *saved);

/* The run so far, with its events and trajectory. sw_live_take() makes the live run forget it, so that one without an end
 * needs no more memory. */
SW_API int sw_live_run(sw_live *live, sw_run **run);
SW_API int sw_live_take(sw_live *live, sw_run **run);

#ifdef __cplusplus
}
#endif

#endif
