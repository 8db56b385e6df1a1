// A sweep of one parameter: the ends of the runs as curves and as a table.
import { numberIn } from '../engine/model_text.mjs';
import { programOf } from '../engine/picture.mjs';
import { sweepData, sweepTable } from '../engine/sweep.mjs';
import { save } from './save.mjs';

export function sweepView(host, page) {
  host.innerHTML = `<form class="options"><label>vary <select id="sweep-name"></select></label>
<label>from <input id="sweep-from" type="text" inputmode="decimal" size="8"></label> <label>to <input id="sweep-to" type="text" inputmode="decimal" size="8"></label>
<label>runs <input id="sweep-count" type="text" inputmode="numeric" size="5" value="41"></label>
<button type="submit" id="sweep-run">sweep</button> <button type="button" id="sweep-csv" disabled>CSV</button> <span id="sweep-state" role="status"></span></form><div id="sweep-picture"></div>`;
  const find = (id) => host.querySelector('#' + id);
  let known = '', result = null;
  const suggest = () => {
    const of = [...page.described.parameters, ...page.described.initial].find((one) => one.name === find('sweep-name').value);
    if (!of) return;
    const half = of.value === 0 ? 1 : Math.abs(of.value) / 2;
    find('sweep-from').value = String(Number((of.value - half).toPrecision(4)));
    find('sweep-to').value = String(Number((of.value + half).toPrecision(4)));
  };
  find('sweep-name').onchange = suggest;
  function draw() {
    const box = find('sweep-picture');
    box.replaceChildren();
    if (!result) return;
    const program = programOf(sweepData(result.parameter, result.states, result.rows, ['events', ...result.states.slice(0, 5)]), document);
    program.view.shown.forEach((k) => {
      const figure = document.createElement('figure');
      box.append(figure);
      program.panel(figure, program.TIME, k, { prefix: 'sweep-clip-', left() {}, pointed() {}, keyed() {}, choose() {}, zoom() {} }).draw(host.clientWidth || 700, 190);
      const foot = figure.querySelector('.foot tspan'), svg = figure.querySelector('svg');
      foot.textContent = result.parameter;
      svg.setAttribute('aria-label', `${program.names[k]} at the end, by ${result.parameter}`);
    });
  }
  host.querySelector('form').onsubmit = async (event) => {
    event.preventDefault();
    const [from, to, count] = ['sweep-from', 'sweep-to', 'sweep-count'].map((id) => numberIn(find(id).value));
    if (!(Number.isFinite(from) && Number.isFinite(to) && Number.isInteger(count) && count >= 2 && count <= 5000)) {
      find('sweep-state').textContent = 'two numbers, and 2 to 5000 runs';
      return;
    }
    const parameter = find('sweep-name').value;
    const values = Array.from({ length: count }, (_, k) => from + (to - from) * k / (count - 1));
    document.getElementById('stop').disabled = false;
    try {
      const found = await page.engine.ask('sweep', { ...page.request(), parameter, values }, ({ done }) => { find('sweep-state').textContent = `${done} of ${count}`; });
      result = { parameter, ...found };
      find('sweep-state').textContent = `${count} runs`;
      find('sweep-csv').disabled = false;
      draw();
    } catch (error) {
      find('sweep-state').textContent = error.message;
    } finally {
      document.getElementById('stop').disabled = true;
    }
  };
  find('sweep-csv').onclick = () => save(`${page.name}-sweep.csv`, 'text/csv', sweepTable(result.parameter, result.states, result.rows));
  return {
    show() {
      const names = [...page.described.parameters, ...page.described.initial].map((one) => one.name);
      if (known !== names.join()) {
        known = names.join();
        result = null;
        find('sweep-name').replaceChildren(...names.map((name) => { const made = document.createElement('option'); made.textContent = made.value = name; return made; }));
        suggest();
      }
      draw();
    }
  };
}
