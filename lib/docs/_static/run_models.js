// Beside every whole model of the manual "run", which shows its picture where it stands, and "edit", which opens the page of the models with it.
// It is part of the manual where that page was built, too: both are files beside each other, so nothing is asked from elsewhere.
(function () {
  'use strict';
  const page = new URL('models/index.html', document.currentScript.src);

  async function packed(text) {
    const stream = new Blob([JSON.stringify({ text })]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    let bytes = '';
    for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) bytes += String.fromCharCode(byte);
    return btoa(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  }
  const address = async (text, more) => page.href + '#' + more + 'm=' + (await packed(text));

  function addButtons(block) {
    const text = block.querySelector('pre').textContent;
    const isWhole = /^\s*\[states\]/m.test(text) && /^\s*\[time\]/m.test(text);
    if (!isWhole) return;
    const bar = document.createElement('p');
    bar.className = 'run-model';
    const button = (title, action) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.textContent = title;
      made.onclick = action;
      bar.append(made, ' ');
      return made;
    };
    let frame = null;
    const run = button('run', async () => {
      if (frame) {
        frame.remove();
        frame = null;
      } else {
        frame = document.createElement('iframe');
        frame.title = 'a run of this model';
        frame.style = 'width: 100%; height: 620px; border: 1px solid var(--color-background-border, #ccc); border-radius: 6px';
        frame.src = await address(text, 'embed=1&');
        bar.after(frame);
      }
      run.textContent = frame ? 'close' : 'run';
      run.setAttribute('aria-expanded', String(frame !== null));
    });
    run.setAttribute('aria-expanded', 'false');
    button('edit', async () => { window.open(await address(text, ''), '_blank', 'noopener'); });
    block.after(bar);
  }
  document.addEventListener('DOMContentLoaded', () => {
    if (typeof CompressionStream === 'function') document.querySelectorAll('div.highlight-toml').forEach(addButtons);
  });
}());
