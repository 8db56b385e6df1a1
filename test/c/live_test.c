/* Live runs: a run that is driven in pieces is the same run, and what is set on the way takes effect there. */
#define _POSIX_C_SOURCE 199309L
#include <stdlib.h>
#include <time.h>

#include "check.h"

/* x' = v, v' = u - x - 0.4 sgn v, with an input u that is held. */
static int block(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)user;
  dx[0] = x[1];
  dx[1] = x[2] - x[0] - 0.4 * lambda[0];
  dx[2] = 0;
  return 0;
}
static int slip(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  h[0] = x[1];
  return 0;
}
static int block_along(double t, const double *x, const double *lambda, double t_dot, const double *x_dot, const double *lambda_dot,
                       double *dx_dot, void *user) {
  (void)t, (void)x, (void)lambda, (void)t_dot, (void)user;
  dx_dot[0] = x_dot[1];
  dx_dot[1] = x_dot[2] - x_dot[0] - 0.4 * lambda_dot[0];
  dx_dot[2] = 0;
  return 0;
}

static sw_model *block_model(void) {
  const double start[3] = {2, 0, 0};
  const int64_t rows_x[4] = {0, 1, 3, 3}, columns_x[3] = {1, 0, 2}, rows_lambda[4] = {0, 0, 1, 1}, zero[1] = {0};
  const int64_t rows_h[2] = {0, 1}, one[1] = {1};
  sw_model *model;
  CHECK_OK(model, sw_define(3, 1, "x v u stick", block, slip, NULL, &model));
  CHECK_OK(model, sw_set_discrete(model, 1));
  CHECK_OK(model, sw_set_derivatives(model, block_along, NULL));
  CHECK_OK(model, sw_set_pattern(model, "field_x", rows_x, columns_x));
  CHECK_OK(model, sw_set_pattern(model, "field_lambda", rows_lambda, zero));
  CHECK_OK(model, sw_set_pattern(model, "guards_x", rows_h, one));
  CHECK_OK(model, sw_declare(model, "guards_affine relays_additive"));
  CHECK_OK(model, sw_set_initial(model, start, 3));
  CHECK_OK(model, sw_options(model, "rtol=1e-8 t_end=10"));
  return model;
}

static void pieces_are_one_run(void) {
  sw_model *model = block_model();
  sw_run *run, *pieces;
  sw_live *live;
  double whole[3], x[3], t = 0;
  int64_t event = 0;
  int k;
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_values(run, "final", whole, 3, NULL));
  CHECK_OK(live, sw_live_begin(model, &live));
  CHECK_TEXT(sw_live_status(live, &t), "reached_end");
  CHECK_NEAR(t, 0, 0);
  CHECK_OK(live, sw_live_next_event(live, 10, &event));
  CHECK(event == sw_count(live, "events") - 1);
  CHECK(strcmp(sw_event_text(live, event, "kind"), sw_event_text(run, event, "kind")) == 0);
  sw_live_status(live, &t);
  CHECK_OK(live, sw_event_values(live, event, "t", x, 3, NULL));
  CHECK(x[0] == t);
  for (k = (int)(10 * t) + 1; k <= 100; ++k) CHECK_OK(live, sw_live_advance(live, 0.1 * k));
  CHECK_OK(live, sw_live_states(live, x, 3));
  CHECK(x[0] == whole[0] && x[1] == whole[1]);
  CHECK(sw_count(live, "events") == sw_count(run, "events"));
  CHECK_OK(pieces, sw_live_run(live, &pieces));
  CHECK_OK(pieces, sw_values(pieces, "final", x, 3, NULL));
  CHECK(x[0] == whole[0]);
  t = 5;
  CHECK_OK(pieces, sw_states(pieces, &t, 1, SW_AFTER, x, 3));
  sw_free(pieces);
  CHECK_CODE(SW_MISUSE, live, sw_live_advance(live, 1));
  CHECK_CODE(SW_MISUSE, live, sw_live_advance(live, NAN));
  CHECK_CODE(SW_SPACE, live, sw_live_states(live, x, 2));
  CHECK_CODE(SW_MISUSE, live, sw_live_set(live, 0, 1));
  CHECK_CODE(SW_ABSENT, live, sw_live_set(live, 3, 1));
  sw_free(live);
  sw_free(run);
  sw_free(model);
}

static void an_input_moves_the_block(void) {
  /* At rest a block within 0.4 of the input sticks; with u = 3 it begins to move at once. */
  const double rest[3] = {0.1, 0, 0};
  sw_model *model = block_model();
  sw_live *live, *other;
  sw_saved *saved;
  double first[3], again[3];
  CHECK_OK(model, sw_set_initial(model, rest, 3));
  CHECK_OK(live, sw_live_begin(model, &live));
  CHECK_OK(live, sw_live_advance(live, 1));
  CHECK_OK(live, sw_live_states(live, first, 3));
  CHECK_NEAR(first[0], 0.1, 1e-12);
  CHECK_OK(saved, sw_live_save(live, &saved));
  CHECK_OK(live, sw_live_set(live, sw_index(live, "states", "u"), 3));
  CHECK_OK(live, sw_live_advance(live, 2));
  CHECK_OK(live, sw_live_states(live, first, 3));
  CHECK_NEAR(first[0], 2.6 - 2.5 * cos(1), 1e-6); /* about 2.6, from 0.1 */
  CHECK_OK(live, sw_live_restore(live, saved));
  CHECK_OK(live, sw_live_set(live, 2, 3));
  CHECK_OK(live, sw_live_advance(live, 2));
  CHECK_OK(live, sw_live_states(live, again, 3));
  CHECK(first[0] == again[0] && first[1] == again[1]);
  CHECK_OK(other, sw_live_begin(model, &other));
  sw_free(model);
  CHECK_OK(other, sw_live_restore(other, saved));
  CHECK_OK(other, sw_live_set(other, 2, 3));
  CHECK_OK(other, sw_live_advance(other, 2));
  CHECK_OK(other, sw_live_states(other, again, 3));
  CHECK(first[0] == again[0] && first[1] == again[1]);
  CHECK_CODE(SW_MISUSE, other, sw_live_restore(other, NULL));
  CHECK_OK(live, sw_live_set_states(live, rest, 3));
  CHECK_OK(live, sw_live_advance(live, 3));
  CHECK_OK(live, sw_live_states(live, first, 3));
  CHECK_NEAR(first[0], 0.1, 1e-12);
  CHECK_CODE(SW_MISUSE, live, sw_live_set_states(live, rest, 2));
  CHECK_OK(live, sw_live_changed(live));
  sw_free(saved);
  sw_free(other);
  sw_free(live);
}

static int end_after_one(double t, const double *x, int64_t n, void *user) {
  (void)x, (void)n, (void)user;
  return t > 1;
}

static void a_live_run_is_stopped_and_goes_on(void) {
  sw_model *model = block_model();
  sw_live *live;
  sw_run *taken;
  double t = 0;
  CHECK_OK(model, sw_options(model, "max_step=0.1"));
  CHECK_OK(model, sw_on_step(model, end_after_one, NULL));
  CHECK_OK(live, sw_live_begin(model, &live));
  CHECK_CODE(SW_STOPPED, live, sw_live_advance(live, 3));
  CHECK_TEXT(sw_live_status(live, &t), "stopped_by_caller");
  CHECK(t >= 1 && t < 1.3);
  CHECK_OK(taken, sw_live_take(live, &taken));
  sw_free(taken);
  sw_free(live);
  CHECK_OK(model, sw_on_step(model, NULL, NULL));
  CHECK_OK(live, sw_live_begin(model, &live));
  sw_stop(live);
  CHECK_CODE(SW_STOPPED, live, sw_live_advance(live, 3));
  CHECK_OK(live, sw_live_advance(live, 3));
  sw_live_status(live, &t);
  CHECK_NEAR(t, 3, 0);
  sw_free(live);
  CHECK_OK(model, sw_options(model, "sensitivities=x"));
  CHECK_CODE(SW_MISUSE, live, sw_live_begin(model, &live));
  CHECK_PART(sw_message(live), "sensitivities");
  CHECK(sw_live_status(live, &t) == NULL);
  CHECK_CODE(SW_ABSENT, live, sw_live_advance(live, 1));
  sw_free(live);
  sw_free(model);
}

/* x' = 1, and n counts the samples; the run stops at the second one. */
static int ramp(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)x, (void)lambda, (void)user;
  dx[0] = 1;
  dx[1] = 0;
  return 0;
}
static int beyond_two(double t, const double *x, double *h, void *user) {
  (void)t, (void)user;
  h[0] = x[0] - 2;
  return 0;
}
static int count_one(double t, const double *before, double *after, void *user) {
  (void)t, (void)user;
  after[1] = before[1] + 1;
  return 0;
}

static void what_is_due_at_a_stop_happens_afterwards(void) {
  sw_model *model;
  sw_live *live;
  double x[2], t = 0;
  CHECK_OK(model, sw_define(2, 0, "x n", ramp, NULL, NULL, &model));
  CHECK_OK(model, sw_set_discrete(model, 1));
  CHECK_OK(model, sw_add_times(model, "sample", 1, 1, count_one));
  CHECK_OK(model, sw_add_event(model, "halt", "rising", "stop", beyond_two, NULL));
  CHECK_OK(model, sw_options(model, "t_end=3.5"));
  CHECK_OK(live, sw_live_begin(model, &live));
  sw_live_advance(live, 3.5);
  CHECK_TEXT(sw_live_status(live, &t), "stopped_by_event");
  CHECK_NEAR(t, 2, 1e-12);
  CHECK_OK(live, sw_live_states(live, x, 2));
  CHECK_NEAR(x[1], 1, 0);
  CHECK_OK(live, sw_live_advance(live, t));
  CHECK_OK(live, sw_live_states(live, x, 2));
  CHECK_NEAR(x[1], 2, 0);
  CHECK_OK(live, sw_live_advance(live, 3.5));
  CHECK_OK(live, sw_live_states(live, x, 2));
  CHECK_NEAR(x[1], 3, 0);
  CHECK(sw_count(live, "events") == 4);
  sw_free(live);
  sw_free(model);
}

/* With arguments: the time of so many steps of a millisecond, with an input that is changed at each. */
static void time_steps(int steps) {
  sw_model *model = block_model();
  sw_live *live;
  clock_t begin;
  int k;
  CHECK_OK(model, sw_options(model, "recording=nothing rtol=1e-6 t_end=20"));
  CHECK_OK(live, sw_live_begin(model, &live));
  begin = clock();
  for (k = 0; k < steps; ++k) {
    CHECK_OK(live, sw_live_set(live, 2, 0.8 * sin(2e-3 * k)));
    CHECK_OK(live, sw_live_advance(live, (k + 1) * 1e-3));
  }
  printf("%d steps: %.2f microseconds a step\n", steps, 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / steps);
  sw_free(live);
  sw_free(model);
}

int main(int count, char **arguments) {
  pieces_are_one_run();
  an_input_moves_the_block();
  a_live_run_is_stopped_and_goes_on();
  what_is_due_at_a_stop_happens_afterwards();
  if (count > 2) time_steps(atoi(arguments[2]));
  return failed_checks;
}
