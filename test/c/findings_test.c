/* Equilibria, branches, Lyapunov exponents, sections and measurements, of models whose answers are known in closed form. */
#include "check.h"

static const char *const OSCILLATOR =
    "name = \"oscillator\"\n"
    "[parameters]\nd = 0.2\n"
    "[states]\nx = 1.0\nv = 0.0\n"
    "[time]\nend = 20.0\n"
    "[derivatives]\nx = \"v\"\nv = \"-x - d*v\"\n"
    "[[records]]\nname = \"over\"\nwhen = \"x\"\ndirection = \"falling\"\n";

static int decays(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = -x[0];
  dx[1] = 2 - 3 * x[1];
  return 0;
}

static void an_equilibrium_is_found(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  double x[4] = {9, 9, 9, 9};
  int64_t count = 0;
  CHECK_OK(model, sw_define(2, 0, "x y", decays, NULL, NULL, &model));
  CHECK_OK(found, sw_find_equilibria(model, "box=x:-1:1,y:-2:2 starts=20", &found));
  CHECK(sw_count(found, "kinds") == 1);
  CHECK_TEXT(sw_name(found, "kinds", 0), "regular");
  CHECK_TEXT(sw_name(found, "stability", 0), "stable");
  CHECK_OK(found, sw_values(found, "states", x, 4, &count));
  CHECK(count == 2);
  CHECK_NEAR(x[0], 0, 1e-12);
  CHECK_NEAR(x[1], 2.0 / 3, 1e-12);
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.equilibria/1");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_equilibria(model, "box=x:1", &found));
  CHECK_CODE(SW_ABSENT, found, sw_document(found, "json", &text, NULL));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_equilibria(model, "vary=x:0:1:3", &found));
  CHECK_PART(sw_message(found), "a file");
  sw_free(found);
  sw_free(model);
}

static void exponents_are_those_of_the_matrix(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  double exponents[2];
  CHECK_OK(model, sw_define(2, 0, "x y", decays, NULL, NULL, &model));
  CHECK_OK(model, sw_options(model, "t_end=40"));
  CHECK_OK(found, sw_find_exponents(model, "transient=5 block=0.5", &found));
  CHECK_OK(found, sw_values(found, "exponents", exponents, 2, NULL));
  CHECK_NEAR(exponents[0], -1, 1e-6);
  CHECK_NEAR(exponents[1], -3, 1e-6);
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.lyapunov/1");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_exponents(model, "transient=50", &found));
  sw_free(found);
  sw_free(model);
}

/* x = e^(-d t/2) cos(w t + phase) comes to zero, falling, once in each period of 2 pi/w with w = sqrt(1 - d^2/4). */
static void a_section_has_the_arrivals(void) {
  const double w = sqrt(1 - 0.01), pi = 3.14159265358979323846;
  sw_model *model;
  sw_run *run;
  sw_findings *found;
  double times[8];
  int64_t count = 0;
  CHECK_OK(model, sw_parse(OSCILLATOR, -1, NULL, &model));
  CHECK_OK(model, sw_options(model, "rtol=1e-10"));
  CHECK_OK(run, sw_solve(model, &run));
  sw_free(model);
  CHECK_OK(found, sw_section(run, "over", "falling", &found));
  CHECK_OK(found, sw_values(found, "times", times, 8, &count));
  CHECK(count == 3);
  CHECK_NEAR(times[0], (pi / 2 + asin(0.1)) / w, 1e-7);
  CHECK_NEAR(times[2] - times[1], 2 * pi / w, 1e-7);
  CHECK(sw_count(found, "states") == 6);
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_section(run, "under", "falling", &found));
  sw_free(found);
  sw_free(run);
}

static const char *const DRIVEN =
    "[parameters]\nd = 0.2\n"
    "[states]\nx = 0.0\nv = 4.0\n"
    "[time]\nend = 60.0\n"
    "[derivatives]\nx = \"v\"\nv = \"-x - d*v + cos(t)\"\n";

static void an_orbit_is_a_run_and_a_branch(void) {
  const double pi = 3.14159265358979323846;
  sw_model *model;
  sw_orbit *orbit;
  sw_run *run;
  sw_findings *found;
  const char *text;
  double span[2], first[2], last[2];
  CHECK_OK(model, sw_parse(DRIVEN, -1, NULL, &model));
  CHECK_OK(orbit, sw_find_orbit(model, "period=2*pi", &orbit));
  CHECK_OK(run, sw_orbit_run(orbit, &run));
  CHECK_OK(run, sw_values(run, "span", span, 2, NULL));
  CHECK_NEAR(span[1] - span[0], 2 * pi, 1e-12);
  CHECK_OK(run, sw_values(run, "initial", first, 2, NULL));
  CHECK_OK(run, sw_values(run, "final", last, 2, NULL));
  CHECK_NEAR(first[0], last[0], 1e-8);
  CHECK_NEAR(first[1], last[1], 1e-8);
  sw_free(run);
  sw_free(orbit);
  CHECK_OK(found, sw_follow_orbit(model, "period=2*pi vary=d:0.2:0.4:3", &found));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.orbit-branch/1");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_follow_orbit(model, "period=2*pi", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_equilibria(model, NULL, &found)); /* it depends on time */
  sw_free(found);
  CHECK_CODE(SW_MISUSE, orbit, sw_find_orbit(model, "section=none", &orbit));
  CHECK_CODE(SW_ABSENT, run, sw_orbit_run(orbit, &run));
  sw_free(run);
  sw_free(orbit);
  sw_free(model);
}

static void equilibria_are_followed(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  CHECK_OK(model, sw_parse("[parameters]\na = 1.0\n[states]\nx = 0.5\n[time]\nend = 5.0\n[derivatives]\nx = \"a - x\"\n", -1, NULL, &model));
  CHECK_OK(found, sw_find_equilibria(model, "vary=a:1:2:3", &found));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.equilibrium-branches/1");
  sw_free(found);
  sw_free(model);
}

static void measurements_are_read(void) {
  FILE *file = fopen("measured.csv", "w");
  sw_findings *found;
  double values[4];
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("t,x,y\n0,1,2\n1,3,\n", file);
  fclose(file);
  CHECK_OK(found, sw_read_measurements("measured.csv", &found));
  CHECK(sw_count(found, "quantities") == 2);
  CHECK_TEXT(sw_name(found, "quantities", 1), "y");
  CHECK_OK(found, sw_values(found, "values", values, 4, NULL));
  CHECK(values[0] == 1 && values[1] == 2 && values[2] == 3 && values[3] != values[3]);
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_read_measurements("absent.csv", &found));
  sw_free(found);
}

/* ---- live ------------------------------------------------------------------------------------------------------- */

static void a_live_run_tells_its_mode(void) {
  sw_model *model;
  sw_live *live;
  sw_saved *saved;
  const char *location = "";
  double t = 0;
  CHECK_OK(model, sw_parse("[states]\nx = 0.0\n[time]\nend = 2.0\n[derivatives]\nx = \"sgn(x)\"\n", -1, NULL, &model));
  CHECK_OK(live, sw_live_begin(model, &live));
  CHECK_CODE(SW_STOPPED, live, sw_live_advance(live, 1));
  CHECK_TEXT(sw_live_status(live, NULL), "ambiguous");
  CHECK_CODE(SW_MISUSE, live, sw_live_follow(live, "nonsense"));
  CHECK_OK(live, sw_live_follow(live, "+"));
  CHECK_OK(live, sw_live_advance(live, 1));
  CHECK_TEXT(sw_live_mode(live, &location), "+");
  CHECK(location == NULL);
  CHECK_OK(live, sw_live_save(live, &saved));
  CHECK_OK(saved, sw_values(saved, "t", &t, 1, NULL));
  CHECK_NEAR(t, 1, 0);
  sw_free(saved);
  sw_free(live);
  sw_free(model);
}

/* x' = sign of x from x = 0, where y counts down: three motions, and a jump that is delayed beyond their begin. */
static void all_motions_are_followed(void) {
  sw_model *model;
  sw_run *run, *branch;
  const char *text;
  double x[2], complete = 0;
  int i;
  CHECK_OK(model, sw_parse("[states]\nx = 0.0\ny = 1.0\n[time]\nend = 2.0\n[derivatives]\nx = \"sgn(x)\"\ny = \"-1\"\n"
                           "[[resets]]\nname = \"late\"\nwhen = \"y - 0.5\"\ndirection = \"falling\"\ndelay = 1.0\nset.y = \"5\"\n",
                           -1, NULL, &model));
  CHECK_OK(model, sw_options(model, "on_ambiguity=branches rtol=1e-9"));
  CHECK_CODE(SW_STOPPED, run, sw_solve(model, &run));
  CHECK_TEXT(sw_status(run, NULL), "ambiguous");
  CHECK(sw_count(run, "branches") == 3);
  CHECK_OK(run, sw_values(run, "complete", &complete, 1, NULL));
  CHECK(complete == 1);
  for (i = 0; i < 3; ++i) {
    const char *const modes[] = {"-", "0", "+"};
    CHECK_TEXT(sw_name(run, "branches", i), modes[i]);
    branch = NULL;
    sw_branch(run, i, &branch);
    if (i != 1) { /* the motion that stays at 0 is ambiguous again after the jump */
      CHECK_OK(branch, sw_values(branch, "final", x, 2, NULL));
      CHECK_NEAR(x[0], i == 0 ? -2 : 2, 1e-6);
      CHECK_NEAR(x[1], 4.5, 1e-6);
      CHECK_OK(branch, sw_document(branch, "json", &text, NULL));
      CHECK_PART(text, "slideway.run/1");
    } else {
      CHECK(sw_count(branch, "branches") > 0);
    }
    sw_free(branch);
  }
  CHECK_CODE(SW_ABSENT, branch, sw_branch(run, 3, &branch));
  sw_free(branch);
  sw_free(run);
  CHECK_OK(model, sw_options(model, "sensitivities=x"));
  CHECK_CODE(SW_MISUSE, run, sw_solve(model, &run));
  CHECK_PART(sw_message(run), "derivatives belong to one solution");
  CHECK(sw_status(run, NULL) == NULL);
  sw_free(run);
  sw_free(model);
}

static int period_of_drive(const double *values, int64_t count, double *period, void *user) {
  ++*(int *)user;
  if (count != 1) return 1;
  *period = 2 * 3.14159265358979323846 / values[0];
  return values[0] > 1.95;
}

/* x' = -x + cos(w t) has one orbit of the period 2 pi / w; the function has no period beyond w = 1.95. */
static void a_period_is_a_function(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  int calls = 0;
  CHECK_OK(model, sw_parse("[parameters]\nw = 1.0\n[states]\nx = 0.0\n[time]\nend = 20.0\n[derivatives]\nx = \"-x + cos(w*t)\"\n", -1, NULL, &model));
  CHECK_OK(model, sw_set_period(model, period_of_drive, &calls));
  CHECK_OK(found, sw_follow_orbit(model, "vary=w:1:1.9:4", &found));
  CHECK(calls > 4);
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "\"period\": 6.28318530717958");
  sw_free(found);
  CHECK_CODE(SW_STOPPED, found, sw_follow_orbit(model, "vary=w:1:2.5:4", &found));
  CHECK_PART(sw_message(found), "there is no period");
  sw_free(found);
  CHECK_OK(model, sw_set_period(model, NULL, NULL));
  CHECK_CODE(SW_MISUSE, found, sw_follow_orbit(model, "vary=w:1:1.9:4", &found));
  sw_free(found);
  sw_free(model);
}

int main(void) {
  all_motions_are_followed();
  a_period_is_a_function();
  an_equilibrium_is_found();
  exponents_are_those_of_the_matrix();
  a_section_has_the_arrivals();
  an_orbit_is_a_run_and_a_branch();
  equilibria_are_followed();
  measurements_are_read();
  a_live_run_tells_its_mode();
  return failed_checks;
}
