% [t, y, te, ye, ie] = slide45 (fun, tspan, y0, options)
%
% As ode45, for right-hand sides that jump. With the option Surfaces, a function h (t, y) of m numbers, fun is called as
% fun (t, y, signs) with signs of 1 and -1 for the sides of the surfaces, and the solution crosses them or slides along them.
% Options of odeset: RelTol, AbsTol, MaxStep, Events; and, as of slideway_options, method. odeset takes no Surfaces: add it to its struct.
function [t, y, te, ye, ie] = slide45 (fun, tspan, y0, options)
  if (nargin < 4)
    options = struct ();
  end
  words = struct ();
  names = {'RelTol', 'rtol'; 'AbsTol', 'atol'; 'MaxStep', 'max_step'; 'method', 'method'};
  for k = 1:size (names, 1)
    if (isfield (options, names{k, 1}) && ~isempty (options.(names{k, 1})))
      words.(names{k, 2}) = options.(names{k, 1});
    end
  end
  guards = [];
  m = 0;
  if (isfield (options, 'Surfaces') && ~isempty (options.Surfaces))
    guards = options.Surfaces;
    m = numel (guards (tspan(1), y0(:)));
  end
  % An error of the function at the start is told as the interpreter tells it.
  if (m > 0)
    fun (tspan(1), y0(:), ones (m, 1));
  else
    fun (tspan(1), y0(:));
  end
  events = [];
  terminal = [];
  direction = [];
  if (isfield (options, 'Events') && ~isempty (options.Events))
    events = options.Events;
    [~, terminal, direction] = events (tspan(1), y0(:));
  end
  result = slideway_mex ('function', fun, guards, m, events, double (terminal), double (y0(:)), slideway_option_text (words), ...
                         double (tspan), double (direction));
  if (~any (strcmp (result.status, {'reached_end', 'stopped_by_event'})))
    warning ('slideway:stopped', 'slide45: %s', result.message);
  end
  t = result.t;
  y = result.x;
  te = [];
  ye = [];
  ie = [];
  for event = result.events
    if (any (strcmp (event.kind, {'record', 'stop'})))
      te(end + 1, 1) = event.t;
      ye(end + 1, :) = event.state_after.';
      ie(end + 1, 1) = str2double (event.name);
    end
  end
end

%!test  # a relay: x' = -sgn x comes to 0 at t = 1 and stays
%! [t, y] = slide45 (@(t, y, s) -s, [0, 2], 1, struct ("Surfaces", @(t, y) y, "RelTol", 1e-8));
%! assert (t(end), 2);
%! assert (y(end), 0, 1e-12);
%!test  # a fall from 1 ends on the floor, at sqrt (2)
%! function [value, terminal, direction] = floor_hit (t, y)
%!   value = y(1);
%!   terminal = 1;
%!   direction = -1;
%! endfunction
%! [t, y, te, ye, ie] = slide45 (@(t, y) [y(2); -1], [0, 3], [1; 0], odeset ("Events", @floor_hit, "RelTol", 1e-9));
%! assert (te, sqrt (2), 1e-8);
%! assert (ye, [0, -sqrt(2)], 1e-8);
%! assert (ie, 1);
%! assert (t(end), te);
%!function dy = fails_later (t, y)
%!  dy = 1;
%!  if (t > 0.5)
%!    error ("not any more");
%!  endif
%!endfunction
%!error <fails at t> slide45 (@fails_later, [0, 1], 0)
%!error <nowhere> slide45 (@(t, y) nowhere (t), [0, 1], 1)
