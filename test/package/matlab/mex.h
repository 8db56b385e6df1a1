/* The declarations of MATLAB's C interface for MEX files that slideway_mex.c may use, after its documentation. The test compiles with it, and with
 * nothing that Octave alone has. */
#ifndef SLIDEWAY_TEST_MEX_H
#define SLIDEWAY_TEST_MEX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mxArray_tag mxArray;
typedef size_t mwSize;
typedef size_t mwIndex;
typedef enum { mxREAL, mxCOMPLEX } mxComplexity;

mxArray *mxCreateDoubleMatrix(mwSize rows, mwSize columns, mxComplexity complexity);
mxArray *mxCreateDoubleScalar(double value);
mxArray *mxCreateCellMatrix(mwSize rows, mwSize columns);
mxArray *mxCreateString(const char *text);
mxArray *mxCreateStructMatrix(mwSize rows, mwSize columns, int count, const char **names);
int mxAddField(mxArray *of, const char *name);
void mxSetField(mxArray *of, mwIndex index, const char *name, mxArray *value);
void mxSetCell(mxArray *of, mwIndex index, mxArray *value);
mxArray *mxGetCell(const mxArray *of, mwIndex index);
mxArray *mxGetFieldByNumber(const mxArray *of, mwIndex index, int number);
const char *mxGetFieldNameByNumber(const mxArray *of, int number);
int mxGetNumberOfFields(const mxArray *of);
size_t mxGetNumberOfElements(const mxArray *of);
double *mxGetPr(const mxArray *of);
double mxGetScalar(const mxArray *of);
bool mxIsDouble(const mxArray *of);
bool mxIsComplex(const mxArray *of);
bool mxIsSparse(const mxArray *of);
char *mxArrayToString(const mxArray *of);
void mxDestroyArray(mxArray *of);
void *mxMalloc(mwSize bytes);
void mxFree(void *memory);
mxArray *mexCallMATLABWithTrap(int results, mxArray *result[], int count, mxArray *arguments[], const char *name);
void mexErrMsgIdAndTxt(const char *id, const char *format, ...);

void mexFunction(int results, mxArray *result[], int count, const mxArray *arguments[]);

#endif
