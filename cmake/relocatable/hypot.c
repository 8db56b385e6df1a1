/* The linker sends calls of hypot here (--wrap=hypot). Glibc 2.35 gave the function a new version, which older ones do not have; the value
 * is the same. */
double hypot_of_old(double x, double y);
double __wrap_hypot(double x, double y);

__asm__(".symver hypot_of_old, hypot@GLIBC_2.2.5");

double __wrap_hypot(double x, double y) { return hypot_of_old(x, y); }
