// Tabs by the pattern of ARIA: arrows move between them, one panel is seen.
export function setUpTabs(shown) {
  const all = [...document.querySelectorAll('[role=tab]')];
  const self = { current: 'picture' };
  const choose = (tab) => {
    for (const one of all) {
      const isIt = one === tab;
      one.setAttribute('aria-selected', String(isIt));
      one.tabIndex = isIt ? 0 : -1;
      document.getElementById(one.getAttribute('aria-controls')).hidden = !isIt;
    }
    self.current = tab.id.slice('tab-'.length);
    shown(self.current);
  };
  all.forEach((tab, k) => {
    tab.onclick = () => choose(tab);
    tab.onkeydown = ({ key }) => {
      const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: all.length - 1 }[key];
      if (to === undefined) return;
      const next = all[(to + all.length) % all.length];
      next.focus();
      choose(next);
    };
  });
  self.choose = (name) => choose(document.getElementById('tab-' + name));
  return self;
}
