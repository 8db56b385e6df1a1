% options = slideway_options (name, value, ...)
%
% Options of slideway_solve: rtol, atol, method, max_step, max_events, max_steps, on_ambiguity, sliding_rule, selection, linear_solver,
% local_events, sensitivities, audit; set, a struct of parameters and initial values; observe, a cell of quantities.
function options = slideway_options (varargin)
  if (mod (numel (varargin), 2) ~= 0)
    error ('slideway:argument', 'slideway_options: expected names and values by turns');
  end
  options = struct ();
  for k = 1:2:numel (varargin)
    options.(varargin{k}) = varargin{k + 1};
  end
end
