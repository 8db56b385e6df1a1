/* FMUs as models. The block of x' = v, v' = -mu*sgn(v) begins with v = 1 and comes to rest at t = 1/mu, where x = 1/(2*mu); `files.sh` has
 * exported it as FMUs. Its input u adds to v'. */
#include <stdlib.h>

#include "check.h"

static char path[1000];
static const char *folder;

static const char *file(const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void an_fmu_is_a_model(const char *name) {
  sw_model *model;
  sw_run *run, *again;
  double t = 0, x[6], once[6];
  CHECK_OK(model, sw_read(file(name), &model));
  CHECK(sw_count(model, "states") == 3);
  CHECK_TEXT(sw_name(model, "states", 1), "v");
  CHECK_TEXT(sw_name(model, "states", 2), "stage");
  CHECK(sw_index(model, "parameters", "mu") >= 0);
  CHECK_OK(model, sw_set(model, "mu", 2));
  CHECK_OK(model, sw_set(model, "x", 1));
  CHECK_OK(model, sw_options(model, "rtol=1e-9"));
  CHECK_OK(model, sw_observe(model, "der(x)"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, &t), "reached_end");
  CHECK_NEAR(t, 2, 0);
  /* The exported block slides inside: to whoever runs it its rest is an event. */
  CHECK_TEXT(sw_name(run, "events", 0), "reset");
  CHECK_OK(run, sw_event_values(run, 0, "t", &t, 1, NULL));
  CHECK_NEAR(t, 0.5, 1e-6);
  CHECK_OK(run, sw_values(run, "final", once, 6, NULL));
  CHECK_NEAR(once[0], 1.25, 1e-6);
  CHECK_NEAR(once[1], 0, 1e-9);
  t = 0.25;
  CHECK_OK(run, sw_observed(run, &t, 1, x, 6));
  CHECK_NEAR(x[0], 0.5, 1e-6);
  /* Another run begins with another instance, and is the same to the last bit. The first one can still be asked. */
  CHECK_OK(again, sw_solve(model, &again));
  sw_free(model);
  CHECK_OK(again, sw_values(again, "final", x, 6, NULL));
  CHECK(x[0] == once[0] && x[1] == once[1]);
  CHECK_OK(run, sw_observed(run, &t, 1, x, 6));
  CHECK_NEAR(x[0], 0.5, 1e-6);
  sw_free(again);
  sw_free(run);
}

static void a_copy_is_the_same_model(void) {
  sw_model *model, *copy;
  sw_run *run, *other;
  double x[3], y[3];
  CHECK_OK(model, sw_read(file("block3.fmu"), &model));
  CHECK_OK(model, sw_set(model, "mu", 2));
  CHECK_OK(model, sw_options(model, "t_end=1"));
  CHECK_OK(copy, sw_copy(model, &copy));
  CHECK_OK(model, sw_set(model, "mu", 4)); /* which the copy does not hear of */
  CHECK_OK(run, sw_solve(model, &run));
  sw_free(model);
  CHECK_OK(other, sw_solve(copy, &other));
  CHECK_OK(run, sw_values(run, "final", x, 3, NULL));
  CHECK_OK(other, sw_values(other, "final", y, 3, NULL));
  CHECK_NEAR(x[0], 0.125, 1e-5);
  CHECK_NEAR(y[0], 0.25, 1e-5);
  sw_free(other);
  sw_free(run);
  sw_free(copy);
}

static void a_live_run_goes_on_and_back(void) {
  sw_model *model;
  sw_live *live, *other;
  sw_saved *saved;
  double x[3], once[3], t = 0;
  CHECK_OK(model, sw_read(file("block3.fmu"), &model));
  CHECK_OK(live, sw_live_begin(model, &live));
  CHECK_OK(live, sw_live_advance(live, 0.5));
  CHECK_OK(live, sw_live_states(live, x, 3));
  CHECK_NEAR(x[0], 0.375, 1e-5);
  CHECK_OK(saved, sw_live_save(live, &saved));
  CHECK_OK(live, sw_live_advance(live, 1.5));
  CHECK_OK(live, sw_live_states(live, once, 3));
  CHECK_NEAR(once[0], 0.5, 1e-5);
  CHECK_OK(live, sw_live_restore(live, saved));
  CHECK_TEXT(sw_live_status(live, &t), "reached_end");
  CHECK_NEAR(t, 0.5, 0);
  CHECK_OK(live, sw_live_advance(live, 1.5));
  CHECK_OK(live, sw_live_states(live, x, 3));
  CHECK(x[0] == once[0] && x[1] == once[1]);
  CHECK_OK(other, sw_live_begin(model, &other));
  CHECK_CODE(SW_MISUSE, other, sw_live_restore(other, saved));
  CHECK_PART(sw_message(other), "its own past");
  CHECK_OK(other, sw_live_advance(other, 0.5));
  sw_free(saved);
  sw_free(other);
  sw_free(live);
  sw_free(model);
}

static double final_place(const char *name, const char *options) {
  sw_model *model;
  sw_run *run;
  double x[6] = {NAN};
  CHECK_OK(model, sw_read_fmu(file(name), options, &model));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_values(run, "final", x, 6, NULL));
  sw_free(run);
  sw_free(model);
  return x[0];
}

static void options_say_how_an_fmu_is_run(void) {
  char inputs[1100];
  FILE *table = fopen("inputs.csv", "w");
  fputs("time,u\n0,0\n1.5,0\n1.5,2\n2,2\n", table);
  fclose(table);
  CHECK_NEAR(final_place("block3.fmu", "communication_step=0.1"), 0.5, 1e-5);
  CHECK_NEAR(final_place("block2.fmu", "co_simulation=true"), 0.5, 1e-5);
  CHECK_NEAR(final_place("block3.fmu", "isolate=true patience=20"), 0.5, 1e-5);
  /* From t = 1.5 on v' = 2 - 1, so that x gains 1/8. */
  snprintf(inputs, sizeof inputs, "inputs='%s'", "inputs.csv");
  CHECK_NEAR(final_place("block3.fmu", inputs), 0.625, 1e-5);
}

static void what_cannot_be_done_is_told(void) {
  sw_model *model;
  CHECK_CODE(SW_MISUSE, model, sw_read("none.fmu", &model));
  CHECK_PART(sw_message(model), "there is no such file");
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_read(file("text.fmu"), &model));
  CHECK_PART(sw_message(model), "this is no FMU");
  CHECK_CODE(SW_MODEL, model, sw_set(model, "mu", 1));
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_read_fmu(file("block3.fmu"), "isolated=true", &model));
  CHECK_PART(sw_message(model), "isolate, patience or log");
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_read_fmu(file("block3.fmu"), "patience=-1", &model));
  CHECK_PART(sw_message(model), "a number above 0");
  sw_free(model);
  CHECK_CODE(SW_MISUSE, model, sw_read_fmu(NULL, NULL, &model));
  sw_free(model);
  CHECK_OK(model, sw_read_fmu(file("block3.fmu"), NULL, &model));
  CHECK_CODE(SW_MISUSE, model, sw_set(model, "mue", 1));
  CHECK_PART(sw_message(model), "mu");
  sw_free(model);
}

int main(int count, char **arguments) {
  if (count < 2) return 100;
  folder = arguments[1];
  an_fmu_is_a_model("block2.fmu");
  an_fmu_is_a_model("block3.fmu");
  a_copy_is_the_same_model();
  a_live_run_goes_on_and_back();
  options_say_how_an_fmu_is_run();
  what_cannot_be_done_is_told();
  return failed_checks;
}
