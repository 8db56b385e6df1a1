/* Models of callbacks, with motions that are known in closed form. */
#define _POSIX_C_SOURCE 199309L
#include <pthread.h>
#include <time.h>

#include "check.h"

/* ---- a relay: x' = -lambda, lambda = sgn x; from x = 1 it comes to x = 0 at t = 1 and stays --------------------- */

static int relay(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)user;
  dx[0] = -lambda[0];
  return 0;
}
static int relay_guard(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  h[0] = x[0];
  return 0;
}
static int relay_along(double t, const double *x, const double *lambda, double t_dot, const double *x_dot, const double *lambda_dot,
                       double *dx_dot, void *user) {
  (void)t, (void)x, (void)lambda, (void)t_dot, (void)x_dot, (void)user;
  dx_dot[0] = -lambda_dot[0];
  return 0;
}
static int relay_guard_along(double t, const double *x, double t_dot, const double *x_dot, double *h_dot, void *user) {
  (void)t, (void)x, (void)t_dot, (void)user;
  h_dot[0] = x_dot[0];
  return 0;
}

static sw_model *relay_model(void) {
  sw_model *model;
  const double one = 1;
  CHECK_OK(model, sw_define(1, 1, "x switch", relay, relay_guard, NULL, &model));
  CHECK_OK(model, sw_set_initial(model, &one, 1));
  CHECK_OK(model, sw_options(model, "t_end=2"));
  return model;
}

static void check_relay(sw_model *model) {
  sw_run *run;
  double x = 1, t = 0;
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(sw_count(run, "events") == 1);
  CHECK_TEXT(sw_event_text(run, 0, "kind"), "sliding_entry");
  CHECK_TEXT(sw_event_text(run, 0, "surfaces"), "switch");
  CHECK_OK(run, sw_event_values(run, 0, "t", &t, 1, NULL));
  CHECK_NEAR(t, 1, 1e-9);
  CHECK_OK(run, sw_values(run, "final", &x, 1, NULL));
  CHECK_NEAR(x, 0, 1e-12);
  sw_free(run);
}

/* x' = 1 until the sixtieth call, then 2: no function of t and x. */
static int forgetful(double t, const double *x, const double *lambda, double *dx, void *user) {
  int *calls = user;
  (void)t, (void)x, (void)lambda;
  dx[0] = ++*calls > 60 ? 2 : 1;
  return 0;
}

static void callbacks_are_audited(void) {
  const double zero = 0;
  double seen[4] = {0}, times[2] = {-1, -1};
  int calls = 0;
  sw_run *run;
  sw_model *model = relay_model();
  CHECK_OK(model, sw_options(model, "audit=full"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_name(run, "audit", 0), "passed");
  CHECK(sw_count(run, "contradictions") == 0 && sw_count(run, "contradicted") == 0);
  CHECK_OK(run, sw_values(run, "audit", seen, 4, NULL));
  CHECK(seen[0] > 0 && seen[2] < 1);
  sw_free(run);
  CHECK_OK(model, sw_options(model, "audit=off"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_name(run, "audit", 0), "not_made");
  sw_free(run);
  sw_free(model);
  CHECK_OK(model, sw_define(1, 0, "x", forgetful, NULL, &calls, &model));
  CHECK_OK(model, sw_set_initial(model, &zero, 1));
  CHECK_OK(model, sw_options(model, "t_end=1 audit=full method=dopri5"));
  calls = -1000000;
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_name(run, "audit", 0), "passed");
  sw_free(run);
  calls = 40;
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_name(run, "audit", 0), "failed");
  CHECK_TEXT(sw_name(run, "contradicted", 0), "x");
  CHECK_OK(run, sw_values(run, "contradictions", times, 2, NULL));
  CHECK(times[0] >= 0 && times[0] <= times[1] && times[1] <= 1);
  CHECK(sw_count(run, "warnings") >= 1);
  sw_free(run);
  sw_free(model);
}

static void a_relay_slides(void) {
  const int64_t starts[2] = {0, 1}, columns[1] = {0}, wrong[1] = {1}, none[2] = {0, 0};
  const char *text;
  sw_run *run;
  double s = 0, t = 0.5;
  sw_model *model = relay_model();
  check_relay(model);
  CHECK_OK(model, sw_set_derivatives(model, relay_along, relay_guard_along));
  CHECK_OK(model, sw_set_pattern(model, "field_x", none, columns));
  CHECK_OK(model, sw_set_pattern(model, "field_lambda", starts, columns));
  CHECK_OK(model, sw_set_pattern(model, "guards_x", starts, columns));
  CHECK_CODE(SW_MISUSE, model, sw_set_pattern(model, "guards_x", starts, wrong));
  CHECK_CODE(SW_MISUSE, model, sw_set_pattern(model, "guard", starts, columns));
  check_relay(model);
  CHECK_OK(model, sw_declare(model, "guards_affine field_affine"));
  CHECK_CODE(SW_MISUSE, model, sw_declare(model, "smooth"));
  check_relay(model);
  CHECK_OK(model, sw_document(model, "check", &text, NULL));
  CHECK_OK(model, sw_options(model, "sensitivities=x"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_derivatives(run, &t, 1, SW_AFTER, &s, 1));
  CHECK_NEAR(s, 1, 1e-9);
  t = 1.5;
  CHECK_OK(run, sw_derivatives(run, &t, 1, SW_AFTER, &s, 1));
  CHECK_NEAR(s, 0, 1e-12);
  CHECK_OK(run, sw_document(run, "page", &text, NULL));
  sw_free(run);
  sw_free(model);
}

static int bent_guard(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  h[0] = x[0] * (1 + x[0]);
  return 0;
}

static void a_false_declaration_is_refused(void) {
  sw_model *model;
  sw_run *run;
  CHECK_OK(model, sw_define(1, 1, NULL, relay, bent_guard, NULL, &model));
  CHECK_OK(model, sw_declare(model, "guards_affine"));
  CHECK_CODE(SW_MODEL, run, sw_solve(model, &run));
  CHECK_PART(sw_message(run), "guards_affine");
  sw_free(run);
  sw_free(model);
}

static int branching(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)user;
  dx[0] = lambda[0] > 0 ? -1 : 1;
  return 0;
}

static void a_field_that_asks_for_a_sign_is_refused(void) {
  sw_model *model;
  sw_run *run;
  CHECK_OK(model, sw_define(1, 1, NULL, branching, relay_guard, NULL, &model));
  CHECK_CODE(SW_MODEL, run, sw_solve(model, &run));
  CHECK(strlen(sw_message(run)) > 0);
  sw_free(run);
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_define(0, 0, NULL, relay, NULL, NULL, &model));
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_define(1, 1, NULL, relay, NULL, NULL, &model));
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_define(1, 1, "x", relay, relay_guard, NULL, &model));
  CHECK_PART(sw_message(model), "2 names");
  sw_free(model);
}

/* ---- a ball: x'' = -1 above the floor ---------------------------------------------------------------------------- */

static int fall(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = x[1];
  dx[1] = -1;
  return 0;
}
static int height(double t, const double *x, double *gap, void *user) {
  (void)t, (void)user;
  gap[0] = x[0];
  return 0;
}
static int push(double t, const double *x, double *b, void *user) {
  (void)t, (void)x, (void)user;
  b[0] = 0;
  b[1] = 1;
  return 0;
}

static void a_ball_bounces(void) {
  sw_model *model;
  sw_run *run;
  const double start[2] = {1, 0};
  double x[2], t = 0;
  CHECK_OK(model, sw_define(2, 0, "x v", fall, NULL, NULL, &model));
  CHECK_OK(model, sw_add_contact(model, "floor", height, push, 0.5, -1, NULL, 0));
  CHECK_CODE(SW_MISUSE, model, sw_add_contact(model, "floor", height, push, 1.5, -1, NULL, 0));
  CHECK_CODE(SW_MISUSE, model, sw_add_contact(model, "floor", NULL, push, 0.5, -1, NULL, 0));
  CHECK_OK(model, sw_set_initial(model, start, 2));
  CHECK_OK(model, sw_options(model, "rtol=1e-10 t_end=2"));
  CHECK(sw_count(model, "contacts") == 1);
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_event_text(run, 0, "kind"), "impact");
  CHECK_TEXT(sw_event_text(run, 0, "name"), "floor");
  CHECK_OK(run, sw_event_values(run, 0, "t", &t, 1, NULL));
  CHECK_NEAR(t, sqrt(2.0), 1e-9);
  CHECK_OK(run, sw_states(run, &t, 1, SW_BEFORE, x, 2));
  CHECK_NEAR(x[1], -sqrt(2.0), 1e-8);
  CHECK_OK(run, sw_states(run, &t, 1, SW_AFTER, x, 2));
  CHECK_NEAR(x[1], 0.5 * sqrt(2.0), 1e-8);
  sw_free(run);
  sw_free(model);
}

/* A block with x' = v > 0 on a floor: x'' = -mu g with mu = 0.3, g = 10, so it stops after 1/3, at 1/6. */
static int slide(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = 0;
  dx[3] = -10;
  return 0;
}
static int height_of_block(double t, const double *x, double *gap, void *user) {
  (void)t, (void)user;
  gap[0] = x[1];
  return 0;
}
static int slip(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  h[0] = x[2];
  return 0;
}
static int push_up(double t, const double *x, double *b, void *user) {
  (void)t, (void)x, (void)user;
  b[0] = b[1] = b[2] = 0;
  b[3] = 1;
  return 0;
}
static int push_along(double t, const double *x, double *b, void *user) {
  (void)t, (void)x, (void)user;
  b[0] = b[1] = b[3] = 0;
  b[2] = 1;
  return 0;
}

static void a_block_slides_to_rest(void) {
  sw_model *model;
  sw_run *run;
  const double start[4] = {0, 0, 1, 0};
  double x[4];
  CHECK_OK(model, sw_define(4, 1, NULL, slide, slip, NULL, &model));
  CHECK_OK(model, sw_add_contact(model, "floor", height_of_block, push_up, 0, 0, push_along, 0.3));
  CHECK_CODE(SW_ABSENT, model, sw_add_contact(model, "floor", height_of_block, push_up, 0, 1, push_along, 0.3));
  CHECK_OK(model, sw_set_initial(model, start, 4));
  CHECK_OK(model, sw_options(model, "rtol=1e-9"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_values(run, "final", x, 4, NULL));
  CHECK_NEAR(x[0], 1.0 / 6, 1e-8);
  CHECK_NEAR(x[2], 0, 1e-10);
  sw_free(run);
  sw_free(model);
}

/* ---- events: x' = 1 ---------------------------------------------------------------------------------------------- */

static int rise(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)lambda, (void)user;
  dx[0] = 1;
  return 0;
}
static int above_one(double t, const double *x, double *value, void *user) {
  (void)t, (void)user;
  value[0] = x[0] - 1;
  return 0;
}
static int above_quarter(double t, const double *x, double *value, void *user) {
  (void)t, (void)user;
  value[0] = x[0] - 0.25;
  return 0;
}
static int back_to_half(double t, const double *before, double *after, void *user) {
  (void)t, (void)before;
  after[0] = 0.5;
  ++*(int *)user;
  return 0;
}
static int add_tenth(double t, const double *before, double *after, void *user) {
  (void)t, (void)user;
  after[0] = before[0] + 0.1;
  return 0;
}

static void events_move_note_and_stop(void) {
  sw_model *model;
  sw_run *run;
  double x = 0, t = 0, times[3];
  int jumps = 0;
  CHECK_OK(model, sw_define(1, 0, "x", rise, NULL, &jumps, &model));
  CHECK_OK(model, sw_add_event(model, "back", "rising", "reset", above_one, back_to_half));
  CHECK_OK(model, sw_add_event(model, "quarter", "any", "record", above_quarter, NULL));
  CHECK_CODE(SW_MISUSE, model, sw_add_event(model, "back", "rising", "reset", above_one, NULL));
  CHECK_CODE(SW_MISUSE, model, sw_add_event(model, "back", "up", "reset", above_one, back_to_half));
  CHECK_CODE(SW_MISUSE, model, sw_add_event(model, "back", "rising", "halt", above_one, back_to_half));
  CHECK_OK(model, sw_options(model, "t_end=1.75"));
  CHECK_OK(run, sw_solve(model, &run)); /* a quarter at 0.25, back to a half at 1 and at 1.5 */
  CHECK(sw_count(run, "events") == 3);
  CHECK_OK(run, sw_values(run, "events", times, 3, NULL));
  CHECK_NEAR(times[0], 0.25, 1e-12);
  CHECK_NEAR(times[1], 1, 1e-12);
  CHECK_NEAR(times[2], 1.5, 1e-12);
  CHECK_TEXT(sw_event_text(run, 0, "name"), "quarter");
  CHECK_TEXT(sw_name(run, "events", 1), "reset");
  CHECK_OK(run, sw_values(run, "final", &x, 1, NULL));
  CHECK_NEAR(x, 0.75, 1e-12);
  CHECK(jumps >= 2);
  sw_free(run);
  CHECK_OK(model, sw_add_times(model, "tenth", 0.1, 0.2, add_tenth));
  CHECK_OK(model, sw_options(model, "t_end=0.15"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_values(run, "final", &x, 1, NULL));
  CHECK_NEAR(x, 0.25, 1e-12);
  sw_free(run);
  sw_free(model);

  CHECK_OK(model, sw_define(1, 0, "x", rise, NULL, NULL, &model));
  CHECK_OK(model, sw_add_event(model, "there", "rising", "stop", above_quarter, NULL));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, &t), "stopped_by_event");
  CHECK_NEAR(t, 0.25, 1e-12);
  sw_free(run);
  sw_free(model);
}

/* ---- callbacks that cannot, or would rather not, go on ----------------------------------------------------------- */

static int fall_while_positive(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = -1;
  return x[0] < 0 ? SW_CALLBACK_NO_VALUE : 0;
}
static int rise_until_half(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)x, (void)lambda, (void)user;
  dx[0] = 1;
  return t > 0.5 ? SW_CALLBACK_STOP : 0;
}

static void callbacks_end_runs(void) {
  sw_model *model;
  sw_run *run;
  const double start = 0.5;
  double t = 0;
  CHECK_OK(model, sw_define(1, 0, NULL, fall_while_positive, NULL, NULL, &model));
  CHECK_OK(model, sw_set_initial(model, &start, 1));
  CHECK_CODE(SW_STOPPED, run, sw_solve(model, &run));
  sw_status(run, &t);
  CHECK_NEAR(t, 0.5, 1e-3);
  CHECK_PART(sw_message(run), "has no value here");
  sw_free(run);
  sw_free(model);
  CHECK_OK(model, sw_define(1, 0, NULL, rise_until_half, NULL, NULL, &model));
  CHECK_OK(model, sw_options(model, "max_step=0.01 t_end=100"));
  CHECK_CODE(SW_STOPPED, run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, &t), "stopped_by_caller");
  CHECK_NEAR(t, 0.5, 0.03);
  sw_free(run);
  sw_free(model);
}

/* ---- another thread ---------------------------------------------------------------------------------------------- */

typedef struct {
  sw_model *model;
  int code;
  char status[40];
  volatile int is_over;
} thread_run;

static void *solve_in_thread(void *argument) {
  thread_run *task = argument;
  sw_run *run;
  task->code = sw_solve(task->model, &run);
  strncpy(task->status, sw_status(run, NULL), sizeof task->status - 1);
  sw_free(run);
  task->is_over = 1;
  return NULL;
}

static void another_thread_ends_a_run(void) {
  const struct timespec pause = {0, 20000000};
  thread_run task = {NULL, 0, "", 0};
  pthread_t thread;
  CHECK_OK(task.model, sw_define(1, 0, NULL, rise, NULL, NULL, &task.model));
  CHECK_OK(task.model, sw_options(task.model, "max_step=1e-6 t_end=1000 recording=nothing"));
  CHECK(pthread_create(&thread, NULL, solve_in_thread, &task) == 0);
  do {
    nanosleep(&pause, NULL);
    sw_stop(task.model);
  } while (!task.is_over);
  pthread_join(thread, NULL);
  CHECK(task.code == SW_STOPPED);
  CHECK_TEXT(task.status, "stopped_by_caller");
  sw_free(task.model);
}

int main(void) {
  callbacks_are_audited();
  a_relay_slides();
  a_false_declaration_is_refused();
  a_field_that_asks_for_a_sign_is_refused();
  a_ball_bounces();
  a_block_slides_to_rest();
  events_move_note_and_stop();
  callbacks_end_runs();
  another_thread_ends_a_run();
  return failed_checks;
}
