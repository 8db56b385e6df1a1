% slideway_build (folder)
%
% Compiles slideway_mex for MATLAB, against slideway in this folder: an unpacked slideway-VERSION-linux-x86_64.tar.xz, or '/usr'. It is called once,
% in the folder src of the package; addpath of src and of inst is all that is needed then. Octave's `pkg install` needs no such call.
function slideway_build (folder)
  if (nargin < 1)
    folder = '/usr';
  end
  here = fileparts (mfilename ('fullpath'));
  found = dir (fullfile (folder, 'lib', 'libslideway_c.so.1'));
  library = fullfile (folder, 'lib');
  if (isempty (found))
    library = fullfile (folder, 'lib', 'x86_64-linux-gnu');
    found = dir (fullfile (library, 'libslideway_c.so.1'));
  end
  if (isempty (found))
    error ('slideway:argument', 'slideway_build: there is no libslideway_c.so.1 in %s; unpack slideway''s archive and name its folder', folder);
  end
  mex (['-I', fullfile(folder, 'include')], '-outdir', here, fullfile (here, 'slideway_mex.c'), ...
       ['LINKLIBS=$LINKLIBS -L', library, ' -l:libslideway_c.so.1 -Wl,-rpath,', library]);
end
