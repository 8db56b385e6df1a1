// The page exports pictures, tables, documents, and the model as text for other programs.
import { programText } from '../engine/model_text.mjs';
import { drawPicture } from '../engine/picture.mjs';
import { save } from './save.mjs';

export function exportView(host, page) {
  const kinds = [
    ['svg', 'picture (SVG)', '.svg', 'image/svg+xml', () => drawPicture(page.run.picture)],
    ['csv', 'trajectory (CSV)', '.csv', 'text/csv', () => page.engine.ask('csv')],
    ['json', 'run (JSON)', '.json', 'application/json', () => page.engine.ask('json')],
    ['report', 'report (HTML)', '.html', 'text/html', () => page.engine.ask('html')],
    ['toml', 'model as it is set (TOML)', '.toml', 'text/plain', () => page.textAsSet()],
    ['python', 'Python', '.py', 'text/plain', () => programText('python', page.text, page.request())],
    ['cpp', 'C++', '.cpp', 'text/plain', () => programText('cpp', page.text, page.request())],
    ['check', 'check of the model (JSON)', '-check.json', 'application/json', async () => JSON.stringify(await page.engine.ask('check', page.request()), null, 1)]
  ];
  const bar = document.createElement('p'), text = document.createElement('textarea');
  bar.className = 'buttons';
  text.readOnly = true;
  text.setAttribute('aria-label', 'the last export as text');
  for (const [id, title, ending, type, make] of kinds) {
    const button = document.createElement('button');
    button.type = 'button';
    button.id = 'export-' + id;
    button.textContent = title;
    button.onclick = async () => {
      const content = await make();
      save(page.name + ending, type, content);
      // A browser shows a text of many megabytes for minutes.
      text.value = content.length > 400000 ? content.slice(0, 400000) + '\n…' : content;
    };
    bar.append(button);
  }
  host.append(bar, text);
  return { show() {} };
}
