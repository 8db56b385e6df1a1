/* What the programs of the tests of the C interface check with. A program returns the number of failed checks, at most 100. */
#ifndef SLIDEWAY_TEST_CHECK_H
#define SLIDEWAY_TEST_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "slideway.h"

static int failed_checks = 0;

static void check_that(int holds, const char *what, int line) {
  if (holds) return;
  printf("line %d: %s does not hold\n", line, what);
  if (failed_checks < 100) ++failed_checks;
}

static void check_near(double got, double expected, double tolerance, const char *what, int line) {
  if (fabs(got - expected) <= tolerance) return;
  printf("line %d: %s is %.15g, expected %.15g\n", line, what, got, expected);
  if (failed_checks < 100) ++failed_checks;
}

static void check_text(const char *got, const char *expected, const char *what, int line) {
  if (got != NULL && strcmp(got, expected) == 0) return;
  printf("line %d: %s is '%s', expected '%s'\n", line, what, got == NULL ? "(null)" : got, expected);
  if (failed_checks < 100) ++failed_checks;
}

/* The text contains all of a part. */
static void check_part(const char *got, const char *part, const char *what, int line) {
  if (got != NULL && strstr(got, part) != NULL) return;
  printf("line %d: %s is '%s', expected '%s' in it\n", line, what, got == NULL ? "(null)" : got, part);
  if (failed_checks < 100) ++failed_checks;
}

static void check_code(int code, int expected, const void *handle, const char *what, int line) {
  if (code == expected) return;
  printf("line %d: %s is %d, expected %d: %s\n", line, what, code, expected, sw_message(handle));
  if (failed_checks < 100) ++failed_checks;
}

#define CHECK(condition) check_that((condition), #condition, __LINE__)
#define CHECK_NEAR(value, expected, tolerance) check_near((value), (expected), (tolerance), #value, __LINE__)
#define CHECK_TEXT(value, expected) check_text((value), (expected), #value, __LINE__)
#define CHECK_PART(value, part) check_part((value), (part), #value, __LINE__)
/* The call with this handle returns a code, or SW_OK. */
#define CHECK_CODE(expected, handle, call)                          \
  do {                                                              \
    const int code_of_call = (call); /* it may make the handle */   \
    check_code(code_of_call, (expected), (handle), #call, __LINE__); \
  } while (0)
#define CHECK_OK(handle, call) CHECK_CODE(SW_OK, handle, call)

#endif
