/* Orbits, fits and checkpoints. */
#include "check.h"

/* x'' = -x - 0.2 x' + cos t has the orbit x = 5 sin t, of period 2 pi. */
static const char *const OSCILLATOR =
    "name = \"oscillator\"\n"
    "[parameters]\nd = 0.2\n"
    "[states]\nx = 0.0\nv = 4.0\n"
    "[time]\nend = 60.0\n"
    "[derivatives]\nx = \"v\"\nv = \"-x - d*v + cos(t)\"\n";

static void an_orbit_is_found(void) {
  const double pi = 3.14159265358979323846;
  sw_model *model;
  sw_orbit *orbit;
  const char *text;
  double x[2], period = 0, multipliers[4], monodromy[4];
  int64_t count = 0;
  CHECK_OK(model, sw_parse(OSCILLATOR, -1, NULL, &model));
  CHECK_OK(orbit, sw_find_orbit(model, "period=2*pi", &orbit));
  CHECK_OK(orbit, sw_values(orbit, "period", &period, 1, NULL));
  CHECK_NEAR(period, 2 * pi, 1e-14);
  CHECK_OK(orbit, sw_values(orbit, "initial", x, 2, NULL));
  CHECK_NEAR(hypot(x[0], x[1]), 5, 1e-7);
  CHECK_OK(orbit, sw_values(orbit, "multipliers", multipliers, 4, &count));
  CHECK(count == 4 && sw_count(orbit, "multipliers") == 2);
  CHECK_NEAR(hypot(multipliers[0], multipliers[1]), exp(-0.2 * pi), 1e-7);
  CHECK_TEXT(sw_name(orbit, "multipliers", 0), "ordinary");
  CHECK_OK(orbit, sw_values(orbit, "monodromy", monodromy, 4, NULL));
  CHECK_NEAR(monodromy[0] * monodromy[3] - monodromy[1] * monodromy[2], exp(-0.4 * pi), 1e-7);
  CHECK_OK(orbit, sw_document(orbit, "json", &text, NULL));
  CHECK_PART(text, "slideway.orbit/1");
  sw_free(orbit);
  CHECK_CODE(SW_MISUSE, orbit, sw_find_orbit(model, "returns=2", &orbit));
  sw_free(orbit);
  CHECK_CODE(SW_MISUSE, orbit, sw_find_orbit(model, "section=nowhere", &orbit));
  sw_free(orbit);
  CHECK_CODE(SW_MISUSE, orbit, sw_find_orbit(model, NULL, &orbit));
  sw_free(orbit);
  sw_free(model);
}

static void a_parameter_is_fitted(void) {
  const char *const quantities[] = {"x"};
  double t[5] = {0.5, 1, 1.5, 2, 3}, values[5], k = 0, error = 0;
  sw_model *model;
  sw_fit *fit;
  const char *text;
  int i;
  for (i = 0; i < 5; ++i) values[i] = 2 * exp(-0.7 * t[i]);
  CHECK_OK(model, sw_parse("[parameters]\nk = 1.0\n[states]\nx = 2.0\n[time]\nend = 4.0\n[derivatives]\nx = \"-k*x\"\n", -1, NULL, &model));
  CHECK_OK(fit, sw_find_parameters(model, "k", quantities, 1, t, 5, values, NULL, "rtol=1e-10", &fit));
  CHECK_OK(fit, sw_values(fit, "parameters", &k, 1, NULL));
  CHECK_NEAR(k, 0.7, 1e-7);
  CHECK_OK(fit, sw_values(fit, "errors", &error, 1, NULL));
  CHECK(error >= 0 && error < 1e-6);
  CHECK_OK(fit, sw_document(fit, "json", &text, NULL));
  CHECK_PART(text, "slideway.fit/1");
  sw_free(fit);
  CHECK_CODE(SW_MISUSE, fit, sw_find_parameters(model, "q", quantities, 1, t, 5, values, NULL, NULL, &fit));
  sw_free(fit);
  CHECK_CODE(SW_MISUSE, fit, sw_find_parameters(model, "k", quantities, 1, t, 0, values, NULL, NULL, &fit));
  sw_free(fit);
  sw_free(model);
}

static int end_after_thirty(double t, const double *x, int64_t n, void *user) {
  (void)x, (void)n, (void)user;
  return t > 30;
}

static void a_run_goes_on_from_its_checkpoint(void) {
  sw_model *model;
  sw_run *run;
  double whole[2], pieces[2];
  CHECK_OK(model, sw_parse(OSCILLATOR, -1, NULL, &model));
  CHECK_OK(model, sw_options(model, "method=bdf rtol=1e-9 checkpoint='a checkpoint.json' checkpoint_steps=50"));
  CHECK_OK(run, sw_solve(model, &run));
  CHECK_OK(run, sw_values(run, "final", whole, 2, NULL));
  sw_free(run);
  CHECK_OK(model, sw_on_step(model, end_after_thirty, NULL));
  CHECK_CODE(SW_STOPPED, run, sw_solve(model, &run));
  CHECK_PART(sw_message(run), "sw_resume");
  CHECK(sw_status(run, NULL) == NULL);
  sw_free(run);
  CHECK_OK(model, sw_on_step(model, NULL, NULL));
  CHECK_OK(run, sw_resume(model, "a checkpoint.json", &run));
  CHECK_OK(run, sw_values(run, "final", pieces, 2, NULL));
  CHECK(whole[0] == pieces[0] && whole[1] == pieces[1]);
  sw_free(run);
  CHECK_OK(model, sw_set(model, "d", 0.3));
  CHECK_CODE(SW_FAILED, run, sw_resume(model, "a checkpoint.json", &run));
  sw_free(run);
  CHECK_CODE(SW_FAILED, run, sw_resume(model, "no checkpoint.json", &run));
  sw_free(run);
  sw_free(model);
}

int main(void) {
  an_orbit_is_found();
  a_parameter_is_fitted();
  a_run_goes_on_from_its_checkpoint();
  return failed_checks;
}
