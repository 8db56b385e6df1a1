// The words of model files, for completion and highlighting. lib/docs/reference/model-files.md tells what they mean.
const call = (label, detail) => ({ label, detail, type: 'function', apply: label + '(' });

export const functions = [
  call('sgn', '(a)'), call('step', '(a)'), call('if', '(condition, p, q)'), call('abs', '(a)'), call('min', '(a, b)'), call('max', '(a, b)'),
  call('sat', '(u, low, high)'), call('deadzone', '(u, low, high)'), call('floor', '(a)'), call('ceil', '(a)'), call('round', '(a)'),
  call('mod', '(a, b)'), call('square', '(a)'), call('triangle', '(a)'), call('sawtooth', '(a)'), call('pulse', '(a, width)'),
  call('hysteresis', '(u, low, high)'), call('pow', '(a, b)'), call('hypot', '(a, b)'), call('sum', '(x)'),
  ...['sqrt', 'exp', 'log', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh'].map((name) => call(name, '(a)')), call('atan2', '(y, x)')
];

export const tables = ['[parameters]', '[states]', '[time]', '[definitions]', '[derivatives]', '[surfaces]', '[friction]', '[hysteresis]', '[discrete]',
  '[algebraic]', '[inputs]', '[mass]', '[options]', '[[resets]]', '[[stops]]', '[[records]]', '[[every]]', '[[contacts]]', '[[locations]]', '[[edges]]',
  '[[tables]]'];

const event = ['when', 'direction', 'set', 'across_jumps', 'initially', 'name', 'size', 'delay', 'values', 'priority'];
export const keys = {
  '': ['name', 'summary', 'source', 'initial'],
  time: ['start', 'end'],
  options: ['rtol', 'atol', 'method', 'on_ambiguity', 'sliding_rule', 'selection', 'linear_solver', 'max_step', 'max_events', 'max_steps', 'observe'],
  resets: event, stops: event, records: event, edges: ['from', 'to', ...event],
  every: ['period', 'offset', 'count', 'at', 'set', 'priority', 'name', 'size'],
  contacts: ['name', 'gap', 'acts_on', 'restitution', 'friction', 'size'],
  locations: ['name'],
  friction: ['law', 'velocity', 'Fc', 'Fs', 'vs', 'B', 'sigma', 'sigma0', 'sigma1', 'sigma2', 'initial'],
  hysteresis: ['law', 'input', 'low', 'high', 'size', 'weight', 'gap', 'fastest', 'initial'],
  states: ['size', 'value', 'ends'], surfaces: ['value', 'break_away', 'size', 'ends']
};
