
'use strict';
// Filters only: the page is whole without this. Texts are compared, never turned into markup.
(() => {
  const form = document.getElementById('filters');
  const items = [...document.querySelectorAll('.item')];
  const texts = new Map();
  const count = document.getElementById('count');
  const none = document.getElementById('none');
  const fields = [...form.elements].filter((field) => field.name);
  const lists = ['invariant', 'flag', 'code', 'promise'];

  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  const admits = (item, wanted) =>
    Object.entries(wanted).every(([name, value]) => {
      if (name === 'text') return value.toLowerCase().split(/\s+/).every((word) => text(item).includes(word));
      if (lists.includes(name)) return item.dataset[name].split(' ').includes(value);
      return item.dataset[name] === value;
    });

  const wanted = () => Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]).filter(([, value]) => value));

  const apply = () => {
    const now = wanted();
    let shown = 0;
    for (const item of items) {
      item.hidden = !admits(item, now);
      shown += item.hidden ? 0 : 1;
    }
    count.textContent = shown === items.length ? `all ${shown} shown` : `${shown} of ${items.length} shown`;
    none.hidden = shown > 0;
    return now;
  };

  // The choice stands in the address, to be kept or sent on.
  const changed = () => {
    const query = new URLSearchParams(apply()).toString();
    history.replaceState(null, '', query ? `#?${query}` : '#');
  };

  // `#?family=…` chooses, `#id` opens one.
  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.startsWith('?')) {
      const query = new URLSearchParams(hash.slice(1));
      for (const field of fields) field.value = query.get(field.name) ?? '';
      apply();
      document.getElementById('items').scrollIntoView();
      return;
    }
    let id;
    try { id = decodeURIComponent(hash); } catch { return; }
    const target = document.getElementById(id);
    if (target?.classList.contains('item')) {
      target.hidden = false;
      target.open = true;
      target.scrollIntoView();
    }
  };

  const acts = {
    open: () => items.filter((item) => !item.hidden).forEach((item) => { item.open = true; }),
    close: () => items.forEach((item) => { item.open = false; }),
    reset: () => { form.reset(); changed(); },
  };
  document.addEventListener('click', (event) => acts[event.target.dataset?.do]?.());
  form.addEventListener('input', changed);
  form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('hashchange', follow);
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === '/' && !typing) {
      event.preventDefault();
      form.elements.text.focus();
    } else if (event.key === 'Escape' && typing) {
      acts.reset();
      document.activeElement.blur();
    } else if ((event.key === 'j' || event.key === 'k') && !typing) {
      const shown = items.filter((item) => !item.hidden);
      const at = shown.findIndex((item) => item.contains(document.activeElement));
      const next = shown[event.key === 'j' ? at + 1 : Math.max(at - 1, 0)];
      next?.querySelector('summary').focus();
    }
  });
  apply();
  follow();
})();
