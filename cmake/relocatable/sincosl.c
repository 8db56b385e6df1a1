/* The object of mingw-w64 that holds sincosl holds sincos as well, which slideway has from musl. */
#include <math.h>

void sincosl(long double x, long double* sine, long double* cosine);

void sincosl(long double x, long double* sine, long double* cosine) {
  *sine = sinl(x);
  *cosine = cosl(x);
}
