/* Basins, diagrams, manifolds and curves in two parameters, of models whose answers are known in closed form. */
#include "check.h"

static const char *const RELAY =
    "name = \"relay\"\n"
    "[parameters]\na = 0.1\nb = 0.5\n"
    "[states]\nx = 0.3\ny = 0.1\n"
    "[time]\nend = 10.0\n"
    "[surfaces]\nside = \"x\"\n"
    "[derivatives]\nx = \"a - x + b*sgn(side)\"\ny = \"-y\"\n";
static const char *const WELLS =
    "[parameters]\np = 0.1\n"
    "[states]\nx = 0.5\nv = 0.0\n"
    "[time]\nend = 5.0\n"
    "[derivatives]\nx = \"v\"\nv = \"x - x^3\"\n";

/* x' = x - x^3, y' = -y */
static int two_wells(double t, const double *x, const double *lambda, double *dx, void *user) {
  (void)t, (void)lambda, (void)user;
  dx[0] = x[0] - x[0] * x[0] * x[0];
  dx[1] = -x[1];
  return 0;
}

static int64_t told = 0;

static int note(int64_t done, int64_t total, void *user) {
  ++told;
  return done > total || *(const int *)user;
}

static void basins_of_callbacks_meet_on_a_line(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  double cells[64], fractions[2], points[4], dimension[2];
  int64_t count = 0;
  int stops = 0, i;
  CHECK_OK(model, sw_define(2, 0, "x y", two_wells, NULL, NULL, &model));
  CHECK_OK(model, sw_on_progress(model, note, &stops));
  CHECK_OK(found, sw_find_basins(model, "plane=x:-2:2,y:-1:1 size=8 samples=20 seed=2", &found));
  CHECK(sw_count(found, "ends") == 2 && sw_count(found, "attractors") == 2 && sw_count(found, "states") == 2);
  CHECK_TEXT(sw_name(found, "ends", 0), "1");
  CHECK_TEXT(sw_name(found, "attractors", 0), "point");
  CHECK_OK(found, sw_values(found, "cells", cells, 64, &count));
  CHECK(count == 64);
  CHECK_OK(found, sw_values(found, "attractors", points, 4, NULL));
  for (i = 0; i < 64; ++i) CHECK_NEAR(points[2 * (int)cells[i]], i % 8 < 4 ? -1 : 1, 1e-3);
  CHECK_OK(found, sw_values(found, "fractions", fractions, 2, NULL));
  CHECK(fractions[0] == 0.5 && fractions[1] == 0.5);
  CHECK_OK(found, sw_values(found, "dimension", dimension, 2, NULL));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.basins/1");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_basins(model, "plane=x:-2:2", &found));
  CHECK_PART(sw_message(found), "two sides");
  CHECK_CODE(SW_ABSENT, found, sw_document(found, "json", &text, NULL));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_basins(model, "plane=x:-2:2,y:-1:1 size=8x8x8", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_basins(model, "plane=x:-2:2,y:-1:1 period=1 step=1", &found));
  CHECK_PART(sw_message(found), "one of both");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_diagram(model, "plane=x:-2:2,y:-1:1", &found));
  CHECK_PART(sw_message(found), "a file");
  sw_free(found);
  sw_free(model);
}

static void a_search_ends_where_its_caller_asks_for_it(void) {
  sw_model *model;
  sw_findings *found;
  static double cells[40000];
  int64_t count = 0;
  int stops = 1, missing = 0, i;
  CHECK_OK(model, sw_parse(WELLS, -1, NULL, &model));
  CHECK_OK(model, sw_on_progress(model, note, &stops));
  told = 0;
  CHECK_CODE(SW_STOPPED, found, sw_find_basins(model, "plane=x:-2:2,v:-1:1 size=200 thorough=true jobs=2", &found));
  CHECK(told > 0);
  CHECK_PART(sw_message(found), "interrupted");
  CHECK_OK(found, sw_values(found, "cells", cells, 40000, &count));
  CHECK(count == 40000);
  for (i = 0; i < 40000; ++i) missing += cells[i] < 0;
  CHECK(missing > 0);
  sw_free(found);
  sw_free(model);
}

static void two_points_coexist(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  double coexisting[9], forward[9];
  int i;
  CHECK_OK(model, sw_parse(RELAY, -1, NULL, &model));
  CHECK_OK(found, sw_find_diagram(model, "plane=a:-1.5:1.5,b:0:0.75 size=3 no_curves=true", &found));
  CHECK(sw_count(found, "kinds") == 1);
  CHECK_TEXT(sw_name(found, "kinds", 0), "point");
  CHECK_OK(found, sw_values(found, "coexisting", coexisting, 9, NULL));
  CHECK_OK(found, sw_values(found, "forward", forward, 9, NULL));
  /* a is -1, 0, 1 and b is 1/8, 3/8, 5/8: both points are there where |a| < b. */
  for (i = 0; i < 9; ++i) CHECK(coexisting[i] == (i % 3 == 1) && forward[i] == 0);
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.diagram/1");
  sw_free(found);
  sw_free(model);
}

static void manifolds_are_found(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  CHECK_OK(model, sw_parse(WELLS, -1, NULL, &model));
  CHECK_OK(found, sw_find_manifolds(model, "length=1 only=stable", &found));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.manifolds/1");
  CHECK_PART(text, "\"stable\"");
  CHECK(strstr(text, "\"kind\":\"unstable\"") == NULL);
  sw_free(found);
  CHECK_OK(found, sw_find_manifolds(model, "length=2 connect=x:1 vary=p:0:1:2", &found));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.connections/1");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_manifolds(model, "only=both", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_manifolds(model, "connect=x:1", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_manifolds(model, "length=-1", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_manifolds(model, "max_runs=9", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_manifolds(model, "fan=2 period=1", &found));
  sw_free(found);
  sw_free(model);
  CHECK_OK(model, sw_parse("[states]\nx = -0.5\nv = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"v\"\nv = \"x + cos(t)\"\n", -1, NULL, &model));
  CHECK_OK(found, sw_find_manifolds(model, "period=2*pi length=1", &found));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.orbit-manifolds/1");
  sw_free(found);
  sw_free(model);
}

static void curves_in_two_parameters_are_followed(void) {
  sw_model *model;
  sw_findings *found;
  const char *text;
  CHECK_OK(model, sw_parse(RELAY, -1, NULL, &model));
  CHECK_OK(found, sw_find_equilibria(model, "vary=a:-1:1:4,b:0.1:1:4 bifurcation=BE", &found));
  CHECK_OK(found, sw_document(found, "json", &text, NULL));
  CHECK_PART(text, "slideway.equilibrium-curves/1");
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_equilibria(model, "vary=a:-1:1:7 bifurcation=BE", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_equilibria(model, "vary=a:-1:1:7,b:0:1:7 bifurcation=GR", &found));
  sw_free(found);
  CHECK_CODE(SW_MISUSE, found, sw_find_equilibria(model, "vary=a:-1:1:7,a:0:1:7", &found));
  sw_free(found);
  sw_free(model);
}

int main(void) {
  basins_of_callbacks_meet_on_a_line();
  a_search_ends_where_its_caller_asks_for_it();
  two_points_coexist();
  manifolds_are_found();
  curves_in_two_parameters_are_followed();
  return failed_checks;
}
