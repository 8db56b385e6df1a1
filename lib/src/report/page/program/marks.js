// The marks of events: their shapes, and which of them have room.
const shapes = {
  crossing: 'circle', sliding_entry: 'up', sliding_exit: 'down', corner: 'square', reset: 'diamond', transition: 'diamond',
  impact: 'diamond', contact: 'diamond', release: 'diamond', grazing: 'x', record: 'x', repelling: 'star', two_fold: 'star',
  ambiguous: 'star', stop: 'block', zeno: 'block'
};
const groups = { circle: 'crossing', up: 'sliding starts', down: 'sliding ends', square: 'corner',
  diamond: 'jump, contact or switch',
  x: 'touch or record', star: 'not unique', block: 'stop or Zeno point' };
function shapePath(shape, x, y, r) {
  const p = (dx, dy) => (x + dx * r).toFixed(1) + ' ' + (y + dy * r).toFixed(1);
  switch (shape) {
    case 'down': return 'M' + p(-1, -.8) + 'L' + p(1, -.8) + 'L' + p(0, 1) + 'Z';
    case 'up': return 'M' + p(-1, .8) + 'L' + p(1, .8) + 'L' + p(0, -1) + 'Z';
    case 'square': case 'block': return 'M' + p(-.8, -.8) + 'L' + p(.8, -.8) + 'L' + p(.8, .8) + 'L' + p(-.8, .8) + 'Z';
    case 'diamond': return 'M' + p(0, -1.1) + 'L' + p(1.1, 0) + 'L' + p(0, 1.1) + 'L' + p(-1.1, 0) + 'Z';
    case 'x': return 'M' + p(-.8, -.8) + 'L' + p(.8, .8) + 'M' + p(.8, -.8) + 'L' + p(-.8, .8);
    case 'star': return 'M' + p(-1, 0) + 'L' + p(1, 0) + 'M' + p(0, -1) + 'L' + p(0, 1) + 'M' + p(-.7, -.7) + 'L' + p(.7, .7) +
      'M' + p(.7, -.7) + 'L' + p(-.7, .7);
    default: return 'M' + p(-1, 0) + 'A' + r + ' ' + r + ' 0 1 0 ' + p(1, 0) + 'A' + r + ' ' + r + ' 0 1 0 ' + p(-1, 0) + 'Z';
  }
}
const shapeOf = (event) => shapes[event.kind] || 'circle';
const eventClass = (shape) => 'event' + (shape === 'block' || shape === 'up' ? ' solid' : shape === 'x' || shape === 'star' ? ' cross' : '');
const kindText = (kind) => kind.replace(/_/g, ' ');
const place = (event) => event.name || event.surfaces.slice(0, 3).join(' ') +
  (event.surfaces.length > 3 ? ' … (' + event.surfaces.length + ' surfaces)' : '');
const short = (word) => word === null ? '?' : withMinus(word.length > 24 ? word.slice(0, 22) + '…' : word);
function change(event) {
  const mode = event.from === null ? '→ ' + short(event.to) : event.from === event.to ? short(event.to)
    : short(event.from) + ' → ' + short(event.to);
  if (event.from_location && event.from_location !== event.to_location)
    return (mode === '→ ' || mode === '' ? '' : mode + '  ') + event.from_location + ' → ' + event.to_location;
  return mode;
}

// Whatever has a mark, in the order of time; those that are left out of the page have no number.
const marked = [...events.map((event, i) => ({ event, i })), ...data.between.map((event) => ({ event, i: -1 }))]
  .sort((a, b) => a.event.t - b.event.t);
// Of one instant and kind so many are drawn: they stand above each other.
const mostOfAnInstant = 8;
// The events to draw in a panel of so many pixels. Up to 200 marks of a kind are all drawn, and of more those that are at least
// a 200th of the window apart, as in a picture of `slideway run --plot`. Nearer than three pixels they would be one blot, so that
// a panel of less than 600 pixels has room for fewer. Each kind is thinned by itself, from its first event on: no stretch of it
// vanishes.
function drawn(width) {
  const { from, to } = view;
  const room = Math.max(20, Math.min(200, Math.floor(width / 3)));
  const isSeen = (event) => event.t >= from && event.t <= to;
  const count = {};
  for (const { event } of marked) if (isSeen(event)) count[event.kind] = (count[event.kind] || 0) + 1;
  const before = {};
  const list = [];
  marked.forEach((one) => {
    const event = one.event;
    const of = before[event.kind];
    const isSame = of && event.t === of.t && of.count < mostOfAnInstant;
    if (count[event.kind] > room && of && !isSame && event.t < of.t + (to - from) / room) return;
    before[event.kind] = { t: event.t, count: isSame ? of.count + 1 : 1 };
    if (isSeen(event)) list.push(one);
  });
  return list;
}
// The radius of marks of which so many share a panel's width.
const radius = (count, width) => Math.max(1.8, Math.min(5, 0.6 * width / Math.max(count, 1)));
