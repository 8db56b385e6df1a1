// The words of model files, for completion and highlighting. lib/docs/reference/model-files.md tells what they mean.
//
// test/web/words_test.mjs compares them with what the reader of model files names in its messages, and runs every beginning.
const call = (label, detail) => ({ label, detail, type: 'function', apply: label + '(' });

export const functions = [
  call('sgn', '(a)'), call('step', '(a)'), call('if', '(condition, p, q)'), call('abs', '(a)'), call('min', '(a, b)'), call('max', '(a, b)'),
  call('sat', '(u, low, high)'), call('deadzone', '(u, low, high)'), call('floor', '(a)'), call('ceil', '(a)'), call('round', '(a)'),
  call('mod', '(a, b)'), call('square', '(a)'), call('triangle', '(a)'), call('sawtooth', '(a)'), call('pulse', '(a, width)'),
  call('hysteresis', '(u, low, high)'), call('pow', '(a, b)'), call('hypot', '(a, b)'), call('sum', '(x)'),
  ...['sqrt', 'exp', 'log', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh'].map((name) => call(name, '(a)')), call('atan2', '(y, x)')
];

// The beginning of a table, as one writes it into an empty file or below a model of x and v: what stands in ${} is typed over.
const table = (label, info, ...lines) => ({ label, info, beginning: [label, ...lines].join('\n') + '\n' });

export const tables = [
  table('[parameters]', 'Numbers that have a name; each has a slider.', '${mu} = ${0.3}'),
  table('[states]', 'What the equations move, with initial values.', '${x} = ${1.0}', '${v} = ${0.0}'),
  table('[time]', 'When the run ends, and where it starts if that is not 0.', 'end = ${20.0}'),
  table('[derivatives]', 'The right-hand side: one line for each state.', '${x} = "${v}"', '${v} = "${-x - 0.3*sgn(v)}"'),
  table('[definitions]', 'Names for parts of the equations, in any order.', '${E} = "${0.5*v^2 + 0.5*x^2}"'),
  table('[discrete]', 'States that change by `set` alone, as the output of a sampled controller.', '${u} = ${0.0}'),
  table('[algebraic]', 'Variables that an equation determines, which stand on both of its sides.', '${y} = "${x - y^3}"'),
  table('[mass]', 'Rows of a mass matrix, which multiply the derivatives.', '${v} = { ${v} = "${1 + 0.5*x^2}" }'),
  table('[inputs]', 'Measured signals, by knots or from a file of comma-separated values.',
    '${u} = { times = [${0, 5, 10}], values = [${0, 1, 0}], interpolation = "${linear}", extrapolation = "${hold}" }'),
  table('[tables]', 'Characteristics, which are called like functions.', '${f} = { x = [${0, 1, 2}], values = [${0, 3, 4}], extrapolation = "${hold}" }'),
  table('[surfaces]', 'Names for guards, which sgn, step and if take.', '${stick} = "${v}"'),
  table('[friction]', 'Forces that resist a velocity, by laws; their names stand in the equations.', '${F} = { law = "${coulomb}", velocity = "${v}", Fc = ${0.3} }'),
  table('[hysteresis]', 'Elements with a memory.', '${r} = { law = "${relay}", input = "${x}", low = ${-0.5}, high = ${0.5} }'),
  table('[[contacts]]', 'A gap that cannot become negative, with impacts and friction.', 'name = "${floor}"', 'gap = "${x}"', 'acts_on = { ${v} = "1" }', 'restitution = ${0.8}'),
  table('[[resets]]', 'Where `when` comes true, states are set.', 'name = "${kick}"', 'when = "${x < -0.5}"', 'set = { ${v} = "${v + 1}" }'),
  table('[[stops]]', 'Where `when` comes true, the run ends.', 'name = "${done}"', 'when = "${x > 5}"'),
  table('[[records]]', 'Where `when` comes true, the run lists it.', 'name = "${top}"', 'when = "${v}"', 'direction = "${falling}"'),
  table('[[every]]', 'At known times states are set.', 'name = "${sample}"', 'period = ${0.5}', 'set = { ${v} = "${0.9*v}" }'),
  table('[[locations]]', 'The locations of an automaton; each lists the derivatives that differ there.',
    'name = "${on}"', '[locations.derivatives]', '${v} = "${-x - 1}"', '[[locations]]', 'name = "${off}"', '[[edges]]', 'from = "${on}"', 'to = "${off}"', 'when = "${x < 0}"',
    '[[edges]]', 'from = "${off}"', 'to = "${on}"', 'when = "${x > 1}"'),
  table('[[edges]]', 'From one location to another where `when` is true.', 'from = "${on}"', 'to = "${off}"', 'when = "${x < 0}"'),
  table('[[automata]]', 'An automaton beside others, whose name is a discrete state.', 'name = "${valve}"', 'initial = "${shut}"', '[[automata.locations]]', 'name = "${shut}"',
    '[[automata.locations]]', 'name = "${open}"', '[[automata.edges]]', 'from = "${shut}"', 'to = "${open}"', 'when = "${x < 0}"', '[[automata.edges]]', 'from = "${open}"', 'to = "${shut}"', 'when = "${x > 1}"'),
  table('[labels]', 'What pictures call states and observed quantities.', '${x} = "${position}"'),
  table('[units]', 'Their units, for pictures and tables.', '${x} = "${m}"'),
  table('[options]', 'Tolerances, the method, what is observed.', 'rtol = ${1e-8}')
];

const event = ['name', 'size', 'when', 'direction', 'across_jumps', 'initially', 'set', 'delay', 'values', 'priority'];
const edge = ['from', 'to', 'zeno', ...event];
const watched = event.filter((key) => !['set', 'delay', 'values', 'priority'].includes(key));
const vector = ['size', 'value', 'ends'];
const knots = ['file', 'column', 'values', 'slopes', 'interpolation', 'extrapolation'];

// The keys of a table, and of what stands in braces in a line of a table. '' is what stands before the first table.
export const keys = {
  '': ['name', 'summary', 'source', 'initial'],
  time: ['start', 'end'],
  options: ['rtol', 'atol', 'method', 'linear_solver', 'max_step', 'on_ambiguity', 'sliding_rule', 'selection', 'max_events', 'max_steps', 'observe'],
  resets: event, stops: watched, records: watched, edges: edge, 'automata.edges': edge.filter((key) => !['zeno', 'delay', 'values', 'size'].includes(key)),
  every: ['name', 'size', 'period', 'offset', 'count', 'at', 'set', 'priority'],
  contacts: ['name', 'size', 'gap', 'acts_on', 'restitution', 'friction', 'impact_law'],
  locations: ['name', 'derivatives'], 'automata.locations': ['name', 'derivatives'], automata: ['name', 'size', 'initial', 'locations', 'edges']
};
export const keysInBraces = {
  friction: ['law', 'velocity', 'size', 'ends', 'Fc', 'Fs', 'Fc_minus', 'Fs_minus', 'vs', 'B', 'sigma', 'sigma0', 'sigma1', 'sigma2', 'k', 'A', 'beta', 'gamma', 'n', 'initial'],
  hysteresis: ['law', 'input', 'low', 'high', 'size', 'weight', 'gap', 'fastest', 'initial'],
  inputs: [...knots, 'time', 'times'], tables: [...knots, 'argument', 'x', 'y', 'monotone'],
  states: vector, discrete: vector, definitions: vector, derivatives: ['value', 'ends'], algebraic: [...vector, 'guess'], surfaces: [...vector, 'break_away'],
  contacts: ['name', 'mu', 'mu_s', 'velocity', 'acts_on', 'in_impact']
};

// What may stand in the quotes of a key, where that is a choice; a law is one of its table.
export const choices = {
  direction: ['rising', 'falling', 'any'], method: ['auto', 'bdf', 'adams', 'dopri5', 'dop853', 'rodas'], linear_solver: ['auto', 'dense', 'band', 'klu', 'gmres'],
  on_ambiguity: ['stop', 'minus', 'plus', 'slide', 'branches'], sliding_rule: ['filippov', 'moments', 'equivalent-control'],
  selection: ['consistent', 'korobitsyn-frolova'], interpolation: ['hold', 'linear', 'pchip', 'cubic'], extrapolation: ['error', 'hold', 'periodic'],
  ends: ['zero', 'periodic', 'clamped'], impact_law: ['newton', 'poisson'], in_impact: ['through', 'end'], values: ['trigger', 'execution'],
  'friction.law': ['viscous', 'coulomb', 'static', 'directional', 'stribeck', 'stribeck-linear', 'exponential', 'exponential-literal', 'dahl', 'bouc-wen', 'lugre'],
  'hysteresis.law': ['relay', 'preisach', 'backlash']
};
