/* Models as text: mistakes, settings, options, runs, events, trajectories, documents. The motion between events is known in closed form:
 * the block of x' = v, v' = -sgn(v) begins with v = 1, comes to rest at t = 1 where x = 1/2, and stays. */
#include <stdlib.h>

#include "check.h"

static const char* const BLOCK =
    "name = \"block\"\n"
    "[parameters]\n"
    "mu = 1.0\n"
    "[states]\n"
    "x = 0.0\n"
    "v = 1.0\n"
    "[time]\n"
    "end = 2.0\n"
    "[surfaces]\n"
    "rest = \"v\"\n"
    "[derivatives]\n"
    "x = \"v\"\n"
    "v = \"-mu*sgn(rest)\"\n";

static sw_model* block(void) {
  sw_model* model;
  CHECK_OK(model, sw_parse(BLOCK, -1, NULL, &model));
  return model;
}

static void the_block_comes_to_rest(void) {
  sw_model* model = block();
  sw_run* run;
  double t[3] = {0.5, 1, 1.5}, x[6], span[2], lists[100];
  int64_t count = 0;
  CHECK_OK(run, sw_solve(model, &run));
  sw_free(model); /* the run does not need it */
  CHECK_TEXT(sw_status(run, &span[0]), "reached_end");
  CHECK_NEAR(span[0], 2, 0);
  CHECK_OK(run, sw_states(run, t, 3, SW_AFTER, x, 6));
  CHECK_NEAR(x[0], 0.375, 1e-6);
  CHECK_NEAR(x[1], 0.5, 1e-6);
  CHECK_NEAR(x[2], 0.5, 1e-6);
  CHECK_NEAR(x[3], 0, 1e-12);
  CHECK_NEAR(x[4], 0.5, 1e-6);
  CHECK_NEAR(x[5], 0, 1e-12);
  CHECK_CODE(SW_SPACE, run, sw_states(run, t, 3, SW_AFTER, x, 5));
  CHECK_PART(sw_message(run), "2 numbers at each of 3 times");
  t[0] = 2.5;
  CHECK_CODE(SW_ABSENT, run, sw_states(run, t, 1, SW_AFTER, x, 6));
  CHECK_PART(sw_message(run), "from 0 to 2");
  CHECK_CODE(SW_MISUSE, run, sw_states(run, t, 1, 7, x, 6));

  CHECK(sw_count(run, "events") == 1);
  CHECK_TEXT(sw_name(run, "events", 0), "sliding_entry");
  CHECK_TEXT(sw_event_text(run, 0, "surfaces"), "rest");
  CHECK_TEXT(sw_event_text(run, 0, "before"), "+");
  CHECK_TEXT(sw_event_text(run, 0, "after"), "0");
  CHECK(sw_event_text(run, 0, "name") == NULL);
  CHECK_PART(sw_event_text(run, 0, "line"), "sliding_entry");
  CHECK(strlen(sw_event_text(run, 0, "reason")) > 0);
  CHECK_OK(run, sw_event_values(run, 0, "t", x, 6, NULL));
  CHECK_NEAR(x[0], 1, 1e-6);
  CHECK_OK(run, sw_event_values(run, 0, "after", x, 6, &count));
  CHECK(count == 2);
  CHECK_NEAR(x[0], 0.5, 1e-6);
  CHECK_OK(run, sw_event_values(run, 0, "w_minus", x, 6, &count));
  CHECK(count == 1);
  CHECK_NEAR(x[0], 1, 1e-12);
  CHECK(sw_event_text(run, 1, "kind") == NULL);
  CHECK_PART(sw_message(run), "there is no event 1");
  CHECK_CODE(SW_MISUSE, run, sw_event_values(run, 0, "colour", x, 6, &count));
  CHECK_TEXT(sw_mode(run, 0.5, NULL), "+");
  CHECK_TEXT(sw_mode(run, 1.5, NULL), "0");

  CHECK_OK(run, sw_values(run, "final", x, 6, &count));
  CHECK(count == 2);
  CHECK_OK(run, sw_values(run, "span", span, 2, NULL));
  CHECK_NEAR(span[1], 2, 0);
  CHECK_OK(run, sw_values(run, "statistics", lists, 100, &count));
  CHECK(count == sw_count(run, "statistics"));
  CHECK(lists[sw_index(run, "statistics", "events")] == 1);
  CHECK(sw_index(run, "statistics", "evnts") == -1);
  CHECK_PART(sw_message(run), "did you mean 'events'?");

  CHECK_OK(run, sw_values(run, "steps", NULL, 0, &count));
  CHECK(count == sw_count(run, "steps") && count > 2);
  {
    double *times = malloc(sizeof(double) * (size_t)count),
           *states = malloc(2 * sizeof(double) * (size_t)count);
    CHECK_OK(run, sw_values(run, "steps", times, count, NULL));
    CHECK_OK(run, sw_step_states(run, states, 2 * count));
    CHECK_NEAR(times[0], 0, 0);
    CHECK_NEAR(states[1], 1, 0);
    CHECK_NEAR(times[count - 1], 2, 0);
    CHECK_NEAR(states[2 * count - 2], 0.5, 1e-6);
    free(times);
    free(states);
  }
  sw_free(run);
}

static void documents_are_texts(void) {
  sw_model* model = block();
  sw_run* run;
  const char* text = NULL;
  int64_t length = 0;
  CHECK_OK(model, sw_document(model, "check", &text, &length));
  CHECK((int64_t)strlen(text) == length);
  CHECK_PART(text, "slideway.check/1");
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_document(run, "json", &text, &length));
  CHECK((int64_t)strlen(text) == length);
  CHECK_PART(text, "slideway.run/1");
  CHECK_OK(run, sw_document(run, "page", &text, NULL));
  CHECK_PART(text, "</html>");
  CHECK_OK(run, sw_document(run, "picture", &text, NULL));
  CHECK_PART(text, "\"curves\":{\"names\":[");
  CHECK_OK(run, sw_document(run, "csv", &text, NULL));
  CHECK_PART(text, "t,x,v,mode");
  CHECK_CODE(SW_MISUSE, run, sw_document(run, "pdf", &text, NULL));
  CHECK_PART(sw_message(run), "json, page, picture or csv");
  sw_free(run);
  sw_free(model);
}

static void settings_and_options_decide_the_run(void) {
  sw_model* model = block();
  sw_run* run;
  double value = 0, x[2];
  CHECK_OK(model, sw_get(model, "mu", &value));
  CHECK_NEAR(value, 1, 0);
  CHECK_OK(model, sw_set(model, "mu", 0.5));
  CHECK_OK(model, sw_set(model, "x", 3));
  CHECK_OK(model, sw_get(model, "mu", &value));
  CHECK_NEAR(value, 0.5, 0);
  CHECK_OK(model, sw_get(model, "x", &value));
  CHECK_NEAR(value, 3, 0);
  CHECK_CODE(SW_MISUSE, model, sw_set(model, "nu", 1));
  CHECK_PART(sw_message(model), "mu");
  CHECK_CODE(SW_MISUSE, model, sw_set(model, "mu", NAN));
  CHECK_CODE(SW_MISUSE, model, sw_get(model, "nu", &value));
  CHECK_OK(model, sw_options(model, "rtol=1e-10  method=dopri5\nt_end=2*2"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "rtol=1e-4 methd=bdf"));
  CHECK_PART(sw_message(model), "did you mean 'method'?");
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "method=euler"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "rtol=-1"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "rtol"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "checkpoint='open"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "t_start=1 t_end=0"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "mode=x"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "linear_solver=klu"));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, "on_ambiguity=both"));
  CHECK(sw_count(model, "options") == 3);
  CHECK_OK(model, sw_options(model, "method="));
  CHECK(sw_count(model, "options") == 2);
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, &value), "reached_end");
  CHECK_NEAR(value, 4, 0);
  CHECK_OK(run, sw_values(run, "final", x, 2, NULL)); /* at rest from t = 2 on, after 1 */
  CHECK_NEAR(x[0], 4, 1e-9);
  CHECK(sw_count(run, "segments") == 2);
  CHECK_TEXT(sw_name(run, "segments", 1), "0");
  CHECK_TEXT(sw_name(run, "modes", 0), "+");
  CHECK(sw_count(run, "observed") == 0);
  CHECK_OK(run, sw_observe(run, "twice = 2*x"));
  CHECK_CODE(SW_MISUSE, run, sw_observe(run, "twice = 2*y"));
  CHECK_OK(run, sw_observed(run, &value, 1, x, 2));
  CHECK_NEAR(x[0], 8, 1e-8);
  sw_free(run);
  {
    const double state[2] = {0, -1}, lambda = -1;
    CHECK_OK(model, sw_field(model, 0, state, &lambda, NULL, x));
    CHECK(x[0] == -1 && x[1] == 0.5);
    CHECK_OK(model, sw_guards(model, 0, state, x));
    CHECK(x[0] == -1);
    CHECK_CODE(SW_MISUSE, model, sw_field(model, 0, state, NULL, NULL, x));
  }
  CHECK_OK(model, sw_options(model, "mode=- t_start=3"));
  CHECK_OK(model, sw_options(model, "mode= t_start="));

  x[0] = -1;
  x[1] = 2;
  CHECK_OK(model, sw_set_initial(model, x, 2));
  CHECK_CODE(SW_MISUSE, model, sw_set_initial(model, x, 1));
  CHECK_OK(model, sw_values(model, "initial", x, 2, NULL));
  CHECK_NEAR(x[1], 2, 0);
  CHECK_OK(model, sw_options(model, "max_steps=3 max_step=0.01"));
  CHECK_CODE(SW_STOPPED, run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, &value), "step_limit");
  CHECK(value < 0.1);
  CHECK(strlen(sw_message(run)) > 0);
  sw_free(run);
  CHECK(sw_count(model, "colours") == -1);
  CHECK(sw_count(model, "states") == 2 && sw_count(model, "surfaces") == 1 &&
        sw_count(model, "contacts") == 0);
  CHECK_TEXT(sw_name(model, "states", 1), "v");
  CHECK_TEXT(sw_name(model, "surfaces", 0), "rest");
  CHECK_TEXT(sw_name(model, "parameters", 0), "mu");
  CHECK(sw_name(model, "states", 2) == NULL);
  CHECK(sw_name(model, "states", -1) == NULL);
  CHECK(sw_index(model, "states", "v") == 1);
  sw_free(model);
}

static void mistakes_are_told_all(void) {
  sw_model* model;
  sw_run* run;
  int64_t line = 0, column = 0;
  const char* text = NULL;
  CHECK_CODE(
      SW_MODEL, model,
      sw_parse("[states]\nx = 1\n[derivatives]\nx = \"sng(x)\"\n[tim]\nend = 1\n", -1, "bad.toml", &model));
  CHECK(sw_count(model, "mistakes") >= 2);
  CHECK_OK(model, sw_mistake(model, 0, &line, &column, &text));
  CHECK(line == 4 && column == 6);
  CHECK_PART(text, "got 'sng'\ndid you mean 'sgn'?");
  CHECK_CODE(SW_ABSENT, model, sw_mistake(model, 9, &line, &column, &text));
  CHECK_CODE(SW_MODEL, model, sw_set(model, "x", 1));
  CHECK_CODE(SW_MODEL, run, sw_solve(model, &run));
  CHECK_PART(sw_message(run), "mistakes");
  CHECK_CODE(SW_ABSENT, run, sw_values(run, "initial", NULL, 0, &line));
  sw_free(run);
  sw_free(model);
  CHECK_CODE(SW_MODEL, model, sw_read("there/is/none.toml", &model));
  CHECK_PART(sw_message(model), "there/is/none.toml");
  sw_free(model);
}

/* The header of a former release has no name for the start. */
#ifdef SW_START
static void a_start_on_a_surface_has_derivatives_on_both_sides(void) {
  /* From x = 1 - e, y rises at 1 for the time e and then at 2; from x = 1 + e it rises at 2 at once. */
  const char* const text =
      "[states]\nx = 1.0\ny = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"1\"\ny = \"if(x > 1, 2, 1)\"\n";
  sw_model* model;
  sw_run* run;
  double below[2], above[2];
  CHECK_OK(model, sw_parse(text, -1, NULL, &model));
  CHECK_OK(model, sw_options(model, "rtol=1e-9 sensitivities=x"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_event_values(run, SW_START, "derivative_below", below, 2, NULL));
  CHECK_OK(run, sw_event_values(run, SW_START, "derivative_above", above, 2, NULL));
  CHECK_NEAR(below[1], 1, 1e-8);
  CHECK_NEAR(above[1], 0, 1e-8);
  CHECK_PART(sw_event_text(run, SW_START, "derivative_reason"), "begins on a surface");
  sw_free(run);
  CHECK_OK(model, sw_set(model, "x", 0.5));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_CODE(SW_ABSENT, run, sw_event_values(run, SW_START, "derivative_below", below, 2, NULL));
  CHECK(sw_event_text(run, 0, "derivative_reason") == NULL);
  sw_free(run);
  sw_free(model);
}
#endif

static void derivatives_are_those_of_the_closed_form(void) {
  /* Up to its rest at t = 1/mu the block has x = t - mu t^2/2, and then x = 1/(2 mu). */
  sw_model* model = block();
  sw_run* run;
  const char* const quantities[] = {"x", "E = 0.5*v^2 + x"};
  double t[2] = {0.5, 1.5}, s[8], y[4], g[6];
  CHECK_OK(model, sw_options(model, "rtol=1e-10 sensitivities=mu,v"));
  CHECK_OK(model, sw_observe(model, "E = 0.5*v^2 + x"));
  CHECK_CODE(SW_MISUSE, model, sw_observe(model, "E = 2*u"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK(sw_count(run, "sensitivities") == 2);
  CHECK_OK(run, sw_derivatives(run, t, 2, SW_AFTER, s, 8));
  CHECK_NEAR(s[0], -0.125, 1e-8); /* of x by mu, then of v by mu, x by v, v by v */
  CHECK_NEAR(s[1], -0.5, 1e-8);
  CHECK_NEAR(s[2], 0.5, 1e-8);
  CHECK_NEAR(s[3], 1, 1e-8);
  CHECK_NEAR(s[4], -0.5, 1e-8);
  CHECK_NEAR(s[6], 1, 1e-8); /* x at rest is v0^2/(2 mu) */
  CHECK_OK(run, sw_values(run, "exists_until", y, 1, NULL));
  CHECK(y[0] > 1e300);
  CHECK_OK(run, sw_event_values(run, 0, "time_derivative", y, 2, NULL));
  CHECK_NEAR(y[0], -1, 1e-8);
  CHECK_NEAR(y[1], 1, 1e-8);
  CHECK_TEXT(sw_name(run, "observed", 0), "E");
  CHECK_OK(run, sw_observed(run, t, 2, y, 4));
  CHECK_NEAR(y[0], 0.125 + 0.375, 1e-8);
  CHECK_NEAR(y[1], 0.5, 1e-8);
  CHECK_OK(run, sw_gradients(run, quantities, 2, g, 6));
  CHECK(sw_count(run, "gradients") == 3);
  CHECK_TEXT(sw_name(run, "gradients", 0), "mu");
  CHECK_NEAR(g[0], -0.5, 1e-8);
  CHECK_NEAR(g[1], -0.5, 1e-8);
  CHECK_NEAR(g[2], 1, 1e-8); /* by the initial x */
  CHECK_CODE(SW_MISUSE, run, sw_gradients(run, NULL, 2, g, 6));
  sw_free(run);
  CHECK_OK(model, sw_options(model, "sensitivities="));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_CODE(SW_ABSENT, run, sw_derivatives(run, t, 2, SW_AFTER, s, 8));
  sw_free(run);
  sw_free(model);
}

static int end_after(double t, const double* x, int64_t n, void* user) {
  CHECK(n == 2);
  *(double*)user = x[1];
  return t > 0.3;
}

static void a_step_function_ends_the_run(void) {
  sw_model* model = block();
  sw_run* run;
  double last = 0, t = 0;
  CHECK_OK(model, sw_options(model, "max_step=0.1"));
  CHECK_OK(model, sw_on_step(model, end_after, &last));
  CHECK_CODE(SW_STOPPED, run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, &t), "stopped_by_caller");
  CHECK(t > 0.3 && t < 0.5);
  CHECK_NEAR(last, 1 - t, 1e-9);
  sw_free(run);
  sw_free(model);
}

static void null_is_no_handle(void) {
  sw_model* model = NULL;
  CHECK(sw_abi() == SW_ABI);
  CHECK(strlen(sw_version()) > 0);
  sw_free(NULL);
  CHECK(sw_parse(BLOCK, -1, NULL, NULL) == SW_MISUSE);
  CHECK(sw_set(NULL, "mu", 1) == SW_MISUSE);
  CHECK(sw_count(NULL, "states") == -1);
  CHECK(sw_name(NULL, "states", 0) == NULL);
  CHECK(sw_status(NULL, NULL) == NULL);
  CHECK_PART(sw_message(NULL), "NULL");
  CHECK_CODE(SW_MISUSE, model, sw_parse(NULL, 5, NULL, &model));
  sw_free(model);
  CHECK_OK(model, sw_parse(BLOCK, (int64_t)strlen(BLOCK), "block.toml", &model));
  CHECK_CODE(SW_MISUSE, model, sw_set(model, NULL, 1));
  CHECK_CODE(SW_MISUSE, model, sw_options(model, NULL));
  sw_free(model);
}

int main(void) {
  the_block_comes_to_rest();
  documents_are_texts();
  settings_and_options_decide_the_run();
  mistakes_are_told_all();
  derivatives_are_those_of_the_closed_form();
#ifdef SW_START
  a_start_on_a_surface_has_derivatives_on_both_sides();
#endif
  a_step_function_ends_the_run();
  null_is_no_handle();
  return failed_checks;
}
