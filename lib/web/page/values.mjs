// Sliders and numbers for parameters and initial values.
import { numberIn } from '../engine/model_text.mjs';

const steps = 400;
// More are not sliders any more, but a page of their own.
const most = 80;

const shortText = (value) => String(Number(value.toPrecision(6)));

// The range of a slider: as far below and above the model's value as that is from zero, and as far as what is set.
function rangeOf(value, set) {
  const half = value === 0 ? 1 : Math.abs(value);
  return [Math.min(value - half, set), Math.max(value + half, set)];
}

export function makeValues(parameterHost, initialHost, { changed }) {
  let set = {};
  const row = (host, { name, value, description }, of) => {
    const line = document.createElement('div');
    line.className = 'value';
    const label = document.createElement('label'), slider = document.createElement('input'), number = document.createElement('input');
    const id = `${host.id}-${name}`;
    label.textContent = name;
    label.htmlFor = id;
    label.title = description || name;
    slider.type = 'range';
    slider.id = id;
    number.type = 'text';
    number.inputMode = 'decimal';
    number.setAttribute('aria-label', `${name}, as a number`);
    let low, high;
    const place = (at) => {
      [low, high] = rangeOf(value, at);
      slider.min = 0;
      slider.max = steps;
      slider.step = 1;
      slider.value = Math.round((at - low) / (high - low) * steps);
      number.value = shortText(at);
      slider.setAttribute('aria-valuetext', number.value);
    };
    const become = (at) => {
      if (at === value) delete set[name]; else set[name] = at;
      changed({ ...set });
    };
    slider.oninput = () => {
      const exact = low + (high - low) * Number(slider.value) / steps;
      const at = Number(exact.toPrecision(6));
      number.value = shortText(at);
      slider.setAttribute('aria-valuetext', number.value);
      become(at);
    };
    slider.ondblclick = () => { place(value); become(value); };
    number.onchange = () => {
      const at = numberIn(number.value);
      const isNumber = Number.isFinite(at);
      number.classList.toggle('wrong', !isNumber);
      number.setAttribute('aria-invalid', String(!isNumber));
      if (isNumber) { place(at); become(at); }
    };
    place(of[name] ?? value);
    line.append(label, slider, number);
    host.append(line);
  };
  return {
    // Shows those of a model, as they are set as far as it still has them; returns these.
    show(described, wanted) {
      const names = new Set([...described.parameters, ...described.initial].map((one) => one.name));
      set = Object.fromEntries(Object.entries(wanted).filter(([name]) => names.has(name)));
      const kind = JSON.stringify([described.parameters, described.initial, set]);
      if (kind !== this.kind) {
        this.kind = kind;
        parameterHost.replaceChildren();
        initialHost.replaceChildren();
        for (const parameter of described.parameters.slice(0, most)) row(parameterHost, parameter, set);
        for (const state of described.initial.slice(0, most)) row(initialHost, state, set);
        if (described.parameters.length === 0) parameterHost.textContent = 'none';
      }
      return { ...set };
    }
  };
}
