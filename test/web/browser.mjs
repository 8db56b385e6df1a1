// A headless Chromium, driven through its debugging pipe, as test/cli/browser.hpp does for the tests of the command.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function browserCommand() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])
    if (spawnSync('sh', ['-c', `command -v ${name}`]).status === 0) return name;
  return '';
}

export class Browser {
  constructor({ width = 1280, height = 900 } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'slideway-page-'));
    this.process = spawn(browserCommand(), ['--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
      '--disable-extensions', '--no-first-run', '--disable-background-networking', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      `--user-data-dir=${join(this.folder, 'profile')}`, `--window-size=${width},${height}`],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, HOME: this.folder } });
    this.size = { width, height };
    this.last = 0;
    this.waiting = new Map();
    this.complaints = [];
    this.requests = [];
    let received = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => {
      received += text;
      for (let end; (end = received.indexOf('\0')) >= 0;) {
        const message = JSON.parse(received.slice(0, end));
        received = received.slice(end + 1);
        this.take(message);
      }
    });
  }
  take(message) {
    if (message.method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(message.params.exceptionDetails.exception ?? message.params));
    if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error') this.complaints.push(message.params.entry.text);
    if (message.method === 'Network.requestWillBeSent') this.requests.push(message.params.request.url);
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(`${waiting.method}: ${JSON.stringify(message.error)}`));
    else waiting.resolve(message.result);
  }
  call(method, params = {}) {
    const id = ++this.last;
    const message = { id, method, params };
    if (this.session) message.sessionId = this.session;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, method });
      this.process.stdio[3].write(JSON.stringify(message) + '\0');
    });
  }
  async open(address, { width = this.size.width, height = this.size.height, scheme = 'light' } = {}) {
    if (!this.session) {
      const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
      this.session = (await this.call('Target.attachToTarget', { targetId, flatten: true })).sessionId;
      for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.call(domain + '.enable');
    }
    // A link into the page that is open would not load it again.
    await this.call('Page.navigate', { url: 'about:blank' });
    await this.wait("location.href === 'about:blank'");
    await this.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    await this.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await this.call('Page.navigate', { url: address });
    await this.wait("location.href !== 'about:blank' && document.readyState === 'complete'");
  }
  async ask(expression) {
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(`${expression.slice(0, 200)}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }
  async wait(condition, seconds = 60) {
    const until = Date.now() + 1000 * seconds;
    while ((await this.ask(condition).catch(() => false)) !== true) {
      if (Date.now() > until) throw new Error(`not within ${seconds} s: ${condition}`);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
  }
  async press(key, { text } = {}) {
    await this.call('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, code: key, text,
      windowsVirtualKeyCode: { Enter: 13, Escape: 27, Tab: 9, ArrowRight: 39, ArrowLeft: 37, End: 35, Home: 36 }[key] ?? 0 });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key });
  }
  write(text) { return this.call('Input.insertText', { text }); }
  async picture(path) {
    const { data } = await this.call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
  async close() {
    this.session = null;
    const gone = new Promise((resolve) => { this.process.once('exit', resolve); });
    this.call('Browser.close').catch(() => {});
    const late = setTimeout(() => { try { process.kill(-this.process.pid, 'SIGKILL'); } catch { /* it has gone */ } }, 5000);
    await gone;
    clearTimeout(late);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
