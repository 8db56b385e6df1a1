/* The header and that of the ABI 1 baseline, one after the other: C11 takes a function, a type or a word that both declare only where they
 * are the same in both. */
#include "slideway_1.h"
#undef SLIDEWAY_H
#include "slideway.h"

_Static_assert(SW_ABI == 1, "a new number of the binary interface needs a baseline of its own");
_Static_assert(sizeof(int) == 4 && sizeof(double) == 8 && sizeof(void *) == 8, "the sizes of the interface on this machine");

int main(void) { return sw_abi() == SW_ABI ? 0 : 1; }
