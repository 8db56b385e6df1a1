// What the page knows of the run, and how to look it up. All of it is in the JSON of #data.
//   curves.t, curves.x[k]   samples; `breaks` begin a new piece (the state jumped), in increasing order
//   segments                start times and mode of each stretch between events
//   events                  as in the JSON document of a run; `gap` tells how many were left out, and after which
//   between                 of those left out some of each kind, for their marks
// The files of this folder are one function's body, in the order of lib/CMakeLists.txt: later ones use earlier ones.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const T = data.curves.t, X = data.curves.x, names = data.curves.names;
const breaks = new Set(data.curves.breaks);
const events = data.events;
const start = data.start, end = data.end > data.start ? data.end : data.start + 1;
// A quantity is the number of a curve, or time.
const TIME = -1;
const nameOf = (k) => k === TIME ? 't' : names[k];
const sample = (k, i) => k === TIME ? T[i] : X[k][i];

// What is shown, which every part of the page may change: draw() then shows it.
const view = {
  from: start, to: end,
  shown: data.shown.slice(),
  portrait: data.portrait ? { across: data.portrait[0], up: data.portrait[1] } : null,
  chosen: -1
};

// The number of the last entry of a sorted list that is not above the value; −1 if there is none.
function last(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1; else high = middle;
  }
  return low - 1;
}
// The states at t, on the straight line between the samples.
function stateAt(t) {
  const k = Math.max(0, last(T, t));
  if (k + 1 >= T.length || breaks.has(k + 1) || T[k + 1] === T[k]) return X.map((x) => x[k]);
  const part = (t - T[k]) / (T[k + 1] - T[k]);
  return X.map((x) => x[k] === null || x[k + 1] === null ? x[k] : x[k] + part * (x[k + 1] - x[k]));
}
function modeAt(t) {
  const k = last(data.segments.t, t);
  if (k < 0) return null;
  return { word: data.modes[data.segments.mode[k]], slides: data.segments.slides[k] === 1,
    location: data.segments.location ? data.locations[data.segments.location[k]] : null };
}
const bandStarts = data.bands.map((band) => band[0]);
function slidesAt(t) {
  const k = last(bandStarts, t);
  return k >= 0 && t <= data.bands[k][1];
}
// The value of a quantity at an event, after it.
function eventValue(event, k) {
  if (k === TIME) return event.t;
  if (event.values) return event.values[k] === null ? NaN : event.values[k];
  if (event.after && event.after[names[k]] !== undefined) return event.after[names[k]];
  return stateAt(event.t)[k];
}
