/* Callback models with locations, delays, static friction, contacts and their friction. Motions are known in closed form. */
#include "check.h"

static double final_value(sw_run *run, int index) {
  double x[8] = {0};
  CHECK_OK(run, sw_values(run, "final", x, 8, NULL));
  return x[index];
}
static double event_time(sw_run *run, int64_t index) {
  double t = NAN;
  CHECK_OK(run, sw_event_values(run, index, "t", &t, 1, NULL));
  return t;
}

/* ---- a thermostat: x' = 2 - x while it heats, to 1.5, and x' = -x while it cools, to 0.5 ------------------------ */

static int heats(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = 2 - x[0];
  return 0;
}
static int cools(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = -x[0];
  return 0;
}
static int warm(double t, const double *x, double *g, void *user) {
  (void)t, (void)user;
  *g = x[0] - 1.5;
  return 0;
}
static int cold(double t, const double *x, double *g, void *user) {
  (void)t, (void)user;
  *g = x[0] - 0.5;
  return 0;
}
static int drift_along(double t, const double *x, const double *lambda, double t_dot, const double *x_dot, const double *lambda_dot,
                       double *dx_dot, void *user) {
  (void)t, (void)x, (void)lambda, (void)t_dot, (void)lambda_dot, (void)user;
  dx_dot[0] = -x_dot[0];
  return 0;
}

static void a_thermostat_has_locations(void) {
  sw_model *model;
  sw_run *run;
  double x = 1, dx = 0;
  const char *location = NULL;
  CHECK_OK(model, sw_define(1, 0, "x", heats, NULL, NULL, &model));
  CHECK_OK(model, sw_add_location(model, "heating", NULL, NULL));
  CHECK_OK(model, sw_set_derivatives(model, drift_along, NULL));
  CHECK_OK(model, sw_add_edge(model, "off", "heating", "cooling", "rising", warm, NULL));
  CHECK_CODE(SW_MODEL, run, sw_solve(model, &run));
  CHECK_PART(sw_message(run), "sw_add_location");
  sw_free(run);
  CHECK_OK(model, sw_add_location(model, "cooling", cools, NULL));
  CHECK_OK(model, sw_add_edge(model, "on", "cooling", "heating", "falling", cold, NULL));
  CHECK_OK(model, sw_options(model, "t_end=4 rtol=1e-10"));
  CHECK(sw_count(model, "locations") == 2);
  CHECK_OK(model, sw_field(model, 0, &x, NULL, "cooling", &dx));
  CHECK(dx == -1);
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(sw_count(run, "events") == 3);
  CHECK_TEXT(sw_event_text(run, 0, "location_after"), "cooling");
  CHECK_NEAR(event_time(run, 0), log(4), 1e-8);
  CHECK_NEAR(event_time(run, 1), log(4) + log(3), 1e-8);
  CHECK_NEAR(event_time(run, 2), log(4) + 2 * log(3), 1e-8);
  CHECK_NEAR(final_value(run, 0), 1.5 * exp(-(4 - log(4) - 2 * log(3))), 1e-8);
  CHECK(sw_mode(run, 1, &location) != NULL);
  CHECK_TEXT(location, "heating");
  sw_free(run);
  CHECK_OK(model, sw_options(model, "location=cooling"));
  CHECK_OK(run, sw_solve(model, &run)); /* from x = 0, below what turns it on: it heats at once */
  CHECK_NEAR(event_time(run, 0), 0, 0);
  CHECK_TEXT(sw_event_text(run, 0, "location_after"), "heating");
  sw_free(run);
  CHECK_CODE(SW_MISUSE, model, sw_add_location(model, "cooling", cools, NULL));
  CHECK_CODE(SW_MISUSE, model, sw_event_options(model, "on", "count=3"));
  CHECK_PART(sw_message(model), "an edge takes");
  CHECK_CODE(SW_MISUSE, model, sw_event_options(model, "none", "priority=1"));
  sw_free(model);
}

/* The switch-off comes half a unit of time late: x is 2 - (2 - 1.5) e^-0.5 then. */
static void an_edge_has_a_delay(void) {
  sw_model *model;
  sw_run *run;
  double t = log(4) + 0.5, x = 0;
  CHECK_OK(model, sw_define(1, 0, "x", heats, NULL, NULL, &model));
  CHECK_OK(model, sw_add_location(model, "heating", NULL, NULL));
  CHECK_OK(model, sw_add_location(model, "cooling", cools, NULL));
  CHECK_OK(model, sw_add_edge(model, "off", "heating", "cooling", "rising", warm, NULL));
  CHECK_OK(model, sw_event_options(model, "off", "delay=0.5 values=execution priority=2"));
  CHECK_OK(model, sw_options(model, "t_end=3 rtol=1e-10"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_states(run, &t, 1, SW_AFTER, &x, 1));
  CHECK_NEAR(x, 2 - 0.5 * exp(-0.5), 1e-8);
  CHECK_NEAR(final_value(run, 0), (2 - 0.5 * exp(-0.5)) * exp(-(3 - t)), 1e-8);
  sw_free(run);
  sw_free(model);
}

/* ---- two locations across one surface: x' = 1 below zero, x' = -1 above, so x stays at 0 from t = 1 on ---------- */

static int up(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)lambda, (void)user;
  dx[0] = 1;
  return 0;
}
static int down(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)lambda, (void)user;
  dx[0] = -1;
  return 0;
}
static int position(double t, const double *x, double *g, void *user) {
  (void)t, (void)user;
  *g = x[0];
  return 0;
}

static void edges_that_undo_each_other_are_a_surface(void) {
  sw_model *model;
  sw_run *run;
  const double below = -1;
  CHECK_OK(model, sw_define(1, 0, "x", up, NULL, NULL, &model));
  CHECK_OK(model, sw_add_location(model, "up", NULL, NULL));
  CHECK_OK(model, sw_add_location(model, "down", down, NULL));
  CHECK_OK(model, sw_add_edge(model, "over", "up", "down", "rising", position, NULL));
  CHECK_OK(model, sw_add_edge(model, "under", "down", "up", "falling", position, NULL));
  CHECK_OK(model, sw_set_initial(model, &below, 1));
  CHECK_OK(model, sw_options(model, "t_end=3"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(sw_count(run, "events") == 1);
  CHECK_TEXT(sw_event_text(run, 0, "kind"), "sliding_entry");
  CHECK_NEAR(event_time(run, 0), 1, 1e-9);
  CHECK_NEAR(final_value(run, 0), 0, 1e-9);
  sw_free(run);
  sw_free(model);
}

/* ---- delays: x' = 1, y' = 0; where x passes 1, y is set to what x is ------------------------------------------- */

static int clock_field(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)lambda, (void)user;
  dx[0] = 1;
  dx[1] = 0;
  return 0;
}
static int reaches_one(double t, const double *x, double *g, void *user) {
  (void)t, (void)user;
  *g = x[0] - 1;
  return 0;
}
static int keep_x(double t, const double *before, double *after, void *user) {
  (void)t, (void)user;
  after[1] = before[0];
  return 0;
}
static int add_one(double t, const double *before, double *after, void *user) {
  (void)t, (void)user;
  after[1] = before[1] + 1;
  return 0;
}

static void a_reset_is_delayed(const char *options, double expected) {
  sw_model *model;
  sw_run *run;
  double x[2], t = 1.4;
  CHECK_OK(model, sw_define(2, 0, "x y", clock_field, NULL, NULL, &model));
  CHECK_OK(model, sw_add_event(model, "late", "rising", "reset", reaches_one, keep_x));
  CHECK_OK(model, sw_event_options(model, "late", options));
  CHECK_OK(model, sw_options(model, "t_end=2"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_states(run, &t, 1, SW_AFTER, x, 2));
  CHECK_NEAR(x[1], 0, 0);
  CHECK_NEAR(final_value(run, 1), expected, 1e-9);
  sw_free(run);
  CHECK_CODE(SW_MISUSE, model, sw_event_options(model, "late", "delay=0.5 values=trigger sets=z"));
  CHECK_CODE(SW_MISUSE, model, sw_event_options(model, "late", "delay=-1 values=execution"));
  CHECK_CODE(SW_MISUSE, model, sw_event_options(model, "late", "dealy=1"));
  CHECK_PART(sw_message(model), "a reset takes");
  sw_free(model);
}

static void times_are_counted(void) {
  sw_model *model;
  sw_run *run;
  CHECK_OK(model, sw_define(2, 0, "x y", clock_field, NULL, NULL, &model));
  CHECK_OK(model, sw_add_times(model, "tick", 0.5, 1, add_one));
  CHECK_OK(model, sw_event_options(model, "tick", "count=3 priority=1"));
  CHECK_OK(model, sw_options(model, "t_end=10"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_NEAR(final_value(run, 1), 3, 0);
  sw_free(run);
  sw_free(model);
}

/* ---- a block on which a growing force pulls: v' = t/2 - lambda holds up to a force of 1.5, that is t = 3 --------- */

static int pulled(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)user;
  dx[0] = x[1];
  dx[1] = 0.5 * t - lambda[0];
  return 0;
}
static int speed(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  *h = x[1];
  return 0;
}
static int half_more(double t, const double *x, double *ratio, void *user) {
  (void)t, (void)x, (void)user;
  *ratio = 1.5;
  return 0;
}

static void a_block_breaks_away(void) {
  sw_model *model;
  sw_run *run;
  CHECK_OK(model, sw_define(2, 1, "x v slip", pulled, speed, NULL, &model));
  CHECK_OK(model, sw_set_break_away(model, half_more, NULL));
  CHECK_OK(model, sw_options(model, "t_end=5 rtol=1e-10"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_event_text(run, sw_count(run, "events") - 1, "kind"), "sliding_exit");
  CHECK_NEAR(event_time(run, sw_count(run, "events") - 1), 3, 1e-8);
  CHECK_NEAR(final_value(run, 1), 2, 1e-8); /* the integral of t/2 - 1 from 3 to 5 */
  sw_free(run);
  sw_free(model);
}

/* ---- a ball from 5 m with 10 m/s2 whose restitution is a twentieth of its speed: 1/2, 1/4, 1/16 ------------------ */

static int falls(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = x[1];
  dx[1] = -10;
  return 0;
}
static int pushes(double t, const double *x, double *b, void *user) {
  (void)t, (void)x, (void)user;
  b[1] = 1;
  return 0;
}
static int twentieth(double approach, const double *x, double *e, void *user) {
  (void)x, (void)user;
  *e = approach / 20;
  return 0;
}

static void a_restitution_is_a_function(void) {
  sw_model *model;
  sw_run *run;
  double x[2] = {5, 0}, t[2] = {1.5, 2.125};
  double at[4];
  CHECK_OK(model, sw_define(2, 0, "x v", falls, NULL, NULL, &model));
  CHECK_OK(model, sw_set_initial(model, x, 2));
  CHECK_OK(model, sw_add_contact(model, "ground", position, pushes, 0, 0, NULL, 0));
  CHECK_OK(model, sw_contact_functions(model, "ground", twentieth, NULL));
  CHECK_OK(model, sw_contact_options(model, "ground", "impact_law=poisson"));
  CHECK_OK(model, sw_options(model, "t_end=2.2 rtol=1e-10"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_NEAR(event_time(run, 0), 1, 1e-8);
  CHECK_OK(run, sw_states(run, t, 2, SW_AFTER, at, 4));
  CHECK_NEAR(at[0], 1.25, 1e-7);
  CHECK_NEAR(at[2], 1.25 * 1.25 / 20, 1e-7);
  sw_free(run);
  CHECK_CODE(SW_MISUSE, model, sw_contact_functions(model, "ground", NULL, twentieth));
  CHECK_CODE(SW_MISUSE, model, sw_contact_functions(model, "ceiling", twentieth, NULL));
  CHECK_PART(sw_message(model), "ground");
  CHECK_CODE(SW_MISUSE, model, sw_contact_options(model, "ground", "impact_law=newtons"));
  sw_free(model);
}

/* ---- a block on a floor, with the states x y z and their velocities, gravity 10 and friction 1/2 ----------------- */

static int slides(double t, const double *x, const double *lambda, double *dx, void *user) {
  int i;
  (void)t, (void)lambda, (void)user;
  for (i = 0; i < 3; ++i) dx[i] = x[3 + i];
  dx[3] = dx[4] = 0;
  dx[5] = -10;
  return 0;
}
static int height(double t, const double *x, double *g, void *user) {
  (void)t, (void)user;
  *g = x[2];
  return 0;
}
static int floor_pushes(double t, const double *x, double *b, void *user) {
  (void)t, (void)x, (void)user;
  b[5] = 1;
  return 0;
}
static int velocities(double t, const double *x, double *v, void *user) {
  (void)t, (void)user;
  v[0] = x[3];
  v[1] = x[4];
  return 0;
}
static int floor_drags(double t, const double *x, double *b, void *user) {
  (void)t, (void)x, (void)user;
  b[3] = 1;     /* the first direction */
  b[6 + 4] = 1; /* the second one */
  return 0;
}
static int half(double t, const double *x, double *mu, void *user) {
  (void)t, (void)x, (void)user;
  *mu = 0.5;
  return 0;
}

/* From (3, 4) its speed of 5 is gone after a second, 2.5 further along that direction. */
static void friction_in_a_plane_is_a_cone(void) {
  const double x[6] = {0, 0, 0, 3, 4, 0};
  int round;
  for (round = 0; round < 2; ++round) {
    sw_model *model;
    sw_run *run;
    CHECK_OK(model, sw_define(6, 0, "x y z vx vy vz", slides, NULL, NULL, &model));
    CHECK_OK(model, sw_set_initial(model, x, 6));
    CHECK_OK(model, sw_add_contact(model, "floor", height, floor_pushes, 0, 0, NULL, 0));
    CHECK_CODE(SW_MISUSE, model, sw_add_cone(model, "floor", velocities, floor_drags, 0.5, 0.9));
    CHECK_CODE(SW_MISUSE, model, sw_add_cone(model, "roof", velocities, floor_drags, 0.5, 1));
    CHECK_OK(model, sw_add_cone(model, "floor", velocities, floor_drags, round == 0 ? 0.5 : 0.1, 1));
    if (round == 1) CHECK_OK(model, sw_contact_functions(model, "floor", NULL, half));
    CHECK_OK(model, sw_options(model, "t_end=2 rtol=1e-9"));
    CHECK_OK(run, sw_solve(model, &run));
    CHECK_NEAR(final_value(run, 0), 1.5, 1e-6);
    CHECK_NEAR(final_value(run, 1), 2, 1e-6);
    CHECK_NEAR(final_value(run, 3), 0, 1e-8);
    sw_free(run);
    sw_free(model);
  }
}

/* ---- an event that is a function, of a model that is a text: x = e^t passes 2 at ln 2 ---------------------------- */

static int passes_two(double t, const double *x, double *g, void *user) {
  (void)t;
  *g = user == NULL ? x[0] - 2 : 1;
  return 0;
}

static void a_file_has_an_event_that_is_called(void) {
  const double beyond[3] = {-0.001, 0.5, 1.001};
  double x[3];
  sw_model *model;
  sw_run *run;
  CHECK_OK(model, sw_parse("[states]\nx = 1.0\n[time]\nend = 1.0\n[derivatives]\nx = \"x\"\n", -1, NULL, &model));
  CHECK_OK(model, sw_add_event(model, "two", "rising", "record", passes_two, NULL));
  CHECK_CODE(SW_MISUSE, model, sw_set_discrete(model, 1));
  CHECK_OK(model, sw_options(model, "rtol=1e-10"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(sw_count(run, "events") == 1);
  CHECK_NEAR(event_time(run, 0), log(2), 1e-9);
  CHECK_CODE(SW_ABSENT, run, sw_states(run, beyond, 3, SW_AFTER, x, 3));
  CHECK_OK(run, sw_states(run, beyond, 3, SW_BEYOND, x, 3));
  CHECK_NEAR(x[0], exp(-0.001), 1e-8);
  CHECK_NEAR(x[1], exp(0.5), 1e-9);
  CHECK_NEAR(x[2], exp(1.001), 1e-8);
  sw_free(run);
  sw_free(model);
}

/* ---- a stiff field whose Jacobian is given ---------------------------------------------------------------------- */

static int jacobian_calls = 0;

static int stiff(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)lambda, (void)user;
  dx[0] = -1000 * (x[0] - cos(t)) - sin(t); /* cos t is a solution */
  dx[1] = x[0];
  return 0;
}
static int stiff_jacobian(double t, const double *x, const double *lambda, double *derivatives, void *user) {
  (void)t, (void)x, (void)lambda, (void)user;
  ++jacobian_calls;
  derivatives[0] = -1000; /* the first column */
  derivatives[1] = 1;
  return 0;
}

static int passes_one(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  h[0] = x[0] - 1;
  return 0;
}
static void a_copy_has_no_callbacks(void) {
  sw_model *model, *copy;
  CHECK_OK(model, sw_parse("[states]\nx = 1.0\n[time]\nend = 1.0\n[derivatives]\nx = \"-x\"\n", -1, NULL, &model));
  CHECK_OK(model, sw_set(model, "x", 2));
  CHECK_OK(copy, sw_copy(model, &copy));
  sw_free(model);
  {
    sw_run *run;
    double x = 0;
    CHECK_OK(copy, sw_options(copy, "rtol=1e-9"));
    CHECK_OK(run, sw_solve(copy, &run));
    CHECK_OK(run, sw_values(run, "final", &x, 1, NULL));
    CHECK_NEAR(x, 2 * exp(-1), 1e-7);
    sw_free(run);
  }
  CHECK_CODE(SW_MISUSE, model, sw_copy(NULL, &model));
  sw_free(model);
  CHECK_OK(copy, sw_add_event(copy, "half", "falling", "record", passes_one, NULL));
  CHECK_CODE(SW_MISUSE, model, sw_copy(copy, &model));
  CHECK_PART(sw_message(model), "has one handle");
  sw_free(model);
  sw_free(copy);
}

static void a_jacobian_is_called(void) {
  const double x[2] = {1, 0};
  sw_model *model;
  sw_run *run;
  CHECK_OK(model, sw_define(2, 0, "x y", stiff, NULL, NULL, &model));
  CHECK_OK(model, sw_set_initial(model, x, 2));
  CHECK_OK(model, sw_set_jacobian(model, stiff_jacobian));
  CHECK_OK(model, sw_options(model, "t_end=1 method=bdf rtol=1e-8"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(jacobian_calls > 0);
  CHECK_NEAR(final_value(run, 1), sin(1), 1e-6);
  sw_free(run);
  CHECK_OK(model, sw_set_jacobian(model, NULL));
  jacobian_calls = 0;
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(jacobian_calls == 0);
  sw_free(run);
  sw_free(model);
}

int main(void) {
  a_copy_has_no_callbacks();
  a_thermostat_has_locations();
  an_edge_has_a_delay();
  edges_that_undo_each_other_are_a_surface();
  a_reset_is_delayed("delay=0.5 values=execution", 1.5);
  a_reset_is_delayed("delay=0.5 values=trigger sets=y", 1);
  times_are_counted();
  a_block_breaks_away();
  a_restitution_is_a_function();
  friction_in_a_plane_is_a_cone();
  a_file_has_an_event_that_is_called();
  a_jacobian_is_called();
  return failed_checks;
}
