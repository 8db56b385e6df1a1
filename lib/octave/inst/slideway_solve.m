% result = slideway_solve (model, tspan, options)
%
% Follows a model through its discontinuities. The model is the name of a model file or FMU, its text, or the name of a built-in model, 'evaporator'. tspan is
% [] for the span of the model, its end, [start, end], or the times that are wanted. The result has t, x (a row for each time), events,
% status, t_reached, message, observed, final, states, warnings and statistics. slideway_options makes the options.
function result = slideway_solve (model, tspan, options)
  if (nargin < 2)
    tspan = [];
  end
  if (nargin < 3)
    options = struct ();
  end
  model = char (model);
  settings = struct ();
  observed = {};
  if (isfield (options, 'set'))
    settings = options.set;
    options = rmfield (options, 'set');
  end
  if (isfield (options, 'observe'))
    observed = cellstr (options.observe);
    options = rmfield (options, 'observe');
  end
  text = '';
  file = model;
  if (any (model == 10))
    text = model;
    file = 'model.toml';
  end
  result = slideway_mex ('model', text, file, settings, slideway_option_text (options), double (tspan), observed);
end

%!shared block
%! block = ["[parameters]\nmu = 1.0\n[states]\nx = 0.0\nv = 1.0\n[time]\nend = 2.0\n[surfaces]\nrest = \"v\"\n" ...
%!          "[derivatives]\nx = \"v\"\nv = \"-mu*sgn(rest)\"\n"];
%!test  # it comes to rest at t = 1, where x = 1/2
%! r = slideway_solve (block, [], slideway_options ("rtol", 1e-9, "observe", {"E = 0.5*v^2"}));
%! assert (r.status, "reached_end");
%! assert (r.final, [0.5; 0], 1e-8);
%! assert (r.events(1).kind, "sliding_entry");
%! assert (r.events(1).t, 1, 1e-8);
%! assert (r.events(1).surfaces, "rest");
%! assert (columns (r.observed), 1);
%! assert (r.observed(1), 0.5);
%!test
%! r = slideway_solve (block, [0, 0.5, 1.5], slideway_options ("set", struct ("mu", 0.5)));
%! assert (r.t, [0; 0.5; 1.5]);
%! assert (r.x(:, 2), [1; 0.75; 0.25], 1e-6);
%!test  # a model that is built in; the vessel of the paper drains to its overflow
%! r = slideway_solve ("evaporator");
%! assert (r.status, "reached_end");
%! assert (r.states, {"p", "L"});
%!error <mu> slideway_solve (block, [], slideway_options ("set", struct ("nu", 1)))
%!error <did you mean 'rtol'> slideway_solve (block, [], slideway_options ("rtl", 1))
%!error <no end time> slideway_solve ("[states]\nx = 1.0\n[derivatives]\nx = \"-x\"\n")
%!error <evaporater> slideway_solve ("evaporater")
%!error <no-such.toml> slideway_solve ("no-such.toml")
%!error <there is no such file> slideway_solve ("none.fmu")
