// Makes the page and the npm package.
//     node build.mjs SOURCE MODULES WASM-FOLDER TARGET VERSION
// SOURCE is the project's folder, MODULES that of node_modules, WASM-FOLDER has slideway-wasm.mjs and .wasm.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

const [source, modules, compiled, target, version] = process.argv.slice(2);
const { build, transform } = createRequire(join(modules, 'x.js'))('esbuild');
const web = join(source, 'lib/web'), report = join(source, 'lib/src/report/page');

// The program of the report page as a function of its document. The last files of its folder work on that page alone.
const parts = ['data', 'elements', 'axis', 'curves', 'marks', 'panel'];
const shown = ['data', 'view', 'T', 'X', 'TIME', 'names', 'start', 'end', 'events', 'stateAt', 'modeAt', 'element', 'number', 'visible', 'paths', 'panel',
  'groups', 'shapePath', 'shapeOf', 'eventClass', 'kindText', 'place', 'change'];
const reportProgram = `export function reportProgram(document) {\n${parts.map((part) => readFileSync(join(report, 'program', part + '.js'), 'utf8')).join('')}
return { ${shown.join(', ')} };\n}\n`;

// The gallery, in the order of its index, with the data that models read.
function gallery() {
  const folder = join(source, 'models/gallery');
  const models = [];
  let field = '';
  for (const line of readFileSync(join(folder, 'README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) field = line.slice(3).trim();
    const found = line.match(/^\| \[`(\w+)\.toml`\]\([^)]*\) \| (.*) \|$/);
    if (!found) continue;
    const text = readFileSync(join(folder, found[1] + '.toml'), 'utf8');
    const data = {};
    for (const [, file] of text.matchAll(/\bfile\s*=\s*"([^"]+)"/g)) data[file] = readFileSync(join(folder, file), 'utf8');
    models.push({ file: found[1], field, summary: found[2].replace(/\\\|/g, '|').replace(/`/g, ''), text, data });
  }
  return models;
}
const models = gallery();

const virtual = (sources) => ({
  name: 'made',
  setup(of) {
    of.onResolve({ filter: /.*/ }, ({ path }) => (path in sources ? { path, namespace: 'made' } : null));
    of.onLoad({ filter: /.*/, namespace: 'made' }, ({ path }) => ({ contents: sources[path], loader: 'js', resolveDir: web }));
  }
});
const common = {
  bundle: true, minify: true, write: false, legalComments: 'none', target: 'es2022', nodePaths: [modules], logLevel: 'warning'
};
const textOf = async (options) => (await build({ ...common, ...options })).outputFiles[0].text;

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, 'page'), { recursive: true });
mkdirSync(join(target, 'npm/gallery'), { recursive: true });

const glue = readFileSync(join(compiled, 'slideway-wasm.mjs'), 'utf8');
const worker = await textOf({ entryPoints: [join(web, 'page/worker.mjs')], format: 'iife', plugins: [virtual({ 'report-program': reportProgram, 'slideway-wasm': glue })] });
const page = await textOf({ entryPoints: [join(web, 'page/main.mjs')], format: 'iife', plugins: [virtual({
  'report-program': reportProgram, gallery: `export const galleryModels = ${JSON.stringify(models)};`, 'worker-source': `export const workerSource = ${JSON.stringify(worker)};`
})] });
const styles = readFileSync(join(report, 'report.css'), 'utf8') + readFileSync(join(web, 'page/page.css'), 'utf8');
const wasm = readFileSync(join(compiled, 'slideway-wasm.wasm'));
writeFileSync(join(target, 'page/page.js'), page);
writeFileSync(join(target, 'page/page.css'), (await transform(styles, { loader: 'css', minify: true })).code);
// A server hands out the module itself, which it can compress better; from disk a page may load scripts only.
writeFileSync(join(target, 'page/engine.wasm'), wasm);
writeFileSync(join(target, 'page/engine.js'), `slidewayEngine("${deflateRawSync(wasm, { level: 9 }).toString('base64')}");\n`);
cpSync(join(web, 'page/index.html'), join(target, 'page/index.html'));

const npm = join(target, 'npm');
const external = { bundle: true, platform: 'neutral', minify: false, format: 'esm', target: 'es2022', external: ['./slideway-wasm.mjs', './index.mjs', 'node:*'] };
writeFileSync(join(npm, 'index.mjs'), await textOf({ ...external, entryPoints: [join(web, 'npm/index.mjs')], plugins: [virtual({ 'report-program': reportProgram })] }));
writeFileSync(join(npm, 'cli.mjs'), await textOf({ ...external, entryPoints: [join(web, 'npm/cli.mjs')], plugins: [virtual({ 'report-program': reportProgram })] }),
  { mode: 0o755 });
writeFileSync(join(npm, 'slideway-wasm.mjs'), glue);
writeFileSync(join(npm, 'slideway.wasm'), wasm);
cpSync(join(web, 'npm/index.d.ts'), join(npm, 'index.d.ts'));
cpSync(join(web, 'npm/README.md'), join(npm, 'README.md'));
cpSync(join(source, 'LICENSE'), join(npm, 'LICENSE'));
for (const model of models) {
  writeFileSync(join(npm, 'gallery', model.file + '.toml'), model.text);
  for (const [file, content] of Object.entries(model.data)) writeFileSync(join(npm, 'gallery', file), content);
}
writeFileSync(join(npm, 'gallery.json'), JSON.stringify(models.map(({ file, field, summary }) => ({ name: file, field, summary })), null, 1) + '\n');
const manifest = JSON.parse(readFileSync(join(web, 'npm/package.json'), 'utf8'));
writeFileSync(join(npm, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2) + '\n');
