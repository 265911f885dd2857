// The colour scheme: the reader's choice, or that of the system.
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
const stored = {
  get() { try { return localStorage.getItem('ognn-theme'); } catch { return null; } },
  set(value) { try { localStorage.setItem('ognn-theme', value); } catch { /* not kept */ } },
};
const themeButton = document.getElementById('theme');
const applyTheme = () => {
  const theme = stored.get() || (system.matches ? 'dark' : 'light');
  root.dataset.theme = theme;
  themeButton.textContent = theme === 'dark' ? 'Light' : 'Dark';
  themeButton.setAttribute('aria-label', `Switch to the ${theme === 'dark' ? 'light' : 'dark'} scheme`);
};
themeButton.hidden = false;
themeButton.addEventListener('click', () => {
  stored.set(root.dataset.theme === 'dark' ? 'light' : 'dark');
  applyTheme();
});
system.addEventListener('change', applyTheme);
applyTheme();

// Tooltips of marks: at once, and for a finger too, instead of the browser's.
const tip = document.getElementById('tip');
const hideTip = () => { tip.hidden = true; };
const tipOf = (mark) => {
  const title = mark.querySelector(':scope > title');
  if (title) {
    mark.dataset.tip = title.textContent;
    title.remove();
  }
  return mark.dataset.tip;
};
const showTip = (text, x, y) => {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(Math.max(x + 12, 4), root.clientWidth - box.width - 4);
  const top = y + 18 + box.height > root.clientHeight ? y - box.height - 10 : y + 18;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${Math.max(top, 4)}px`;
};
document.addEventListener('pointermove', (event) => {
  const mark = event.target.closest?.('svg.og-plot rect, svg.og-plot circle, svg.og-plot polygon, svg.og-plot a');
  const text = mark && tipOf(mark);
  if (text) showTip(text, event.clientX, event.clientY);
  else hideTip();
});
document.addEventListener('pointerleave', hideTip);
document.addEventListener('focusin', (event) => {
  const mark = event.target.closest?.('svg.og-plot a');
  if (!mark) { hideTip(); return; }
  const box = mark.getBoundingClientRect();
  showTip(tipOf(mark), box.left, box.bottom - 12);
});
addEventListener('scroll', hideTip, { passive: true });
addEventListener('keydown', (event) => { if (event.key === 'Escape') hideTip(); });

// Boxes that scroll can be reached by the keyboard, others are no stop.
const markScrolling = () => {
  for (const box of document.querySelectorAll('.plot, .scroll, .tree')) {
    const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
};
addEventListener('resize', markScrolling);
document.addEventListener('toggle', markScrolling, true);
markScrolling();
