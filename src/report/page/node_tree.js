// The rooted tree of a node: who reaches it, and after how many hops.
const kMostChildren = 8;
const kMostTreeNodes = 120;

const reachLevels = (rootNode, hops) => {
  const seen = new Uint8Array(nodeData.about.nodes);
  seen[rootNode] = 1;
  const levels = [[rootNode]];
  while (levels.length <= hops) {
    const next = [];
    for (const v of levels[levels.length - 1]) {
      for (const u of nodeData.neighbours(v)) {
        if (!seen[u]) {
          seen[u] = 1;
          next.push(u);
        }
      }
    }
    if (!next.length) break;
    levels.push(next);
  }
  return levels;
};

// Entries [node, parent's place, depth, children left out], breadth first.
const growTree = (rootNode, depth) => {
  const tree = [[rootNode, -1, 0, 0]];
  const seen = new Set([rootNode]);
  for (let at = 0; at < tree.length; at++) {
    const entry = tree[at];
    if (entry[2] >= depth) continue;
    const children = nodeData.neighbours(entry[0]).filter((u) => !seen.has(u));
    children.forEach((u) => seen.add(u));
    children.sort((a, b) => nodeData.degree(b) - nodeData.degree(a) || a - b);
    const room = Math.max(Math.min(kMostChildren, kMostTreeNodes - tree.length), 0);
    for (const u of children.slice(0, room)) tree.push([u, at, entry[2] + 1, 0]);
    entry[3] = Math.max(children.length - room, 0);
  }
  return tree;
};

const make = (name, attributes = {}, ...content) => {
  const inSvg = ['svg', 'g', 'path', 'circle', 'rect', 'text', 'title'].includes(name);
  const element = inSvg || attributes.inSvg
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key !== 'inSvg') element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
};
const colour = (c) => (c < 0 ? 'og-s6' : `og-s${c % 8}`);
const dot = (classes) => make('svg', { class: 'og-plot dot', viewBox: '0 0 12 12', 'aria-hidden': 'true' },
  make('circle', { class: `og-bar ${classes}`, cx: 6, cy: 6, r: 6 }));

// Rows of leaves from top to bottom, hops from left to right.
const drawTree = (tree) => {
  const kRow = 24, kColumn = 150, kLeft = 20, kTop = 46;
  const children = tree.map(() => []);
  tree.forEach((entry, i) => { if (entry[1] >= 0) children[entry[1]].push(i); });
  const y = new Array(tree.length);
  let rows = 0;
  const placeAt = (i) => {
    children[i].forEach(placeAt);
    const below = children[i].map((child) => y[child]);
    if (tree[i][3] > 0) below.push(kTop + kRow * rows++);
    y[i] = below.length ? (below[0] + below[below.length - 1]) / 2 : kTop + kRow * rows++;
    if (tree[i][3] > 0) y.rest = { ...y.rest, [i]: below[below.length - 1] };
  };
  placeAt(0);
  const depth = Math.max(...tree.map((entry) => entry[2] + (entry[3] > 0 ? 1 : 0)));
  const x = (level) => kLeft + kColumn * level;
  const width = x(depth) + kColumn, height = kTop + kRow * rows;
  const picture = make('svg', {
    class: 'og-plot', width, height, viewBox: `0 0 ${width} ${height}`, role: 'group',
    'aria-label': `Tree of ${tree.length} nodes to hop ${depth}`,
  });
  for (let level = 0; level <= depth; level++) {
    picture.append(make('text', { class: 'og-note', x: x(level) - 6, y: 16 }, level ? `hop ${level}` : 'node'));
  }
  const link = (from, to, level) => picture.append(make('path', {
    class: 'link',
    d: `M${x(level - 1)} ${from}C${x(level - 0.5)} ${from} ${x(level - 0.5)} ${to} ${x(level)} ${to}`,
  }));
  tree.forEach((entry, i) => { if (entry[1] >= 0) link(y[entry[1]], y[i], entry[2]); });
  for (const [i, at] of Object.entries(y.rest ?? {})) {
    const entry = tree[i];
    link(y[i], at, entry[2] + 1);
    picture.append(make('text', { class: 'og-note', x: x(entry[2] + 1) + 4, y: at + 4 }, `${entry[3]} more`));
  }
  tree.forEach((entry, i) => picture.append(treeMark(entry, x(entry[2]), y[i], children[i].length || entry[3])));
  return picture;
};

const treeMark = ([v, , level], x, y, inner) => {
  const predicted = nodeData.predicted(v), label = nodeData.label(v);
  const words = `${nodeData.name(v)} · ${nodeData.className(predicted)}`;
  const told = `node ${nodeData.name(v)}: predicted ${nodeData.className(predicted)}`
    + ` (${Math.round(100 * nodeData.confidence(v))} %), label ${nodeData.className(label)}`;
  const mark = make('a', { inSvg: true, href: `#node=${v}`, 'aria-label': told, class: 'tree-node' },
    make('title', {}, told),
    make('circle', { class: `og-mark ${colour(predicted)}`, cx: x, cy: y, r: level ? 6 : 8 }),
    make('text', {
      class: 'og-tick og-halo', x: inner ? x - 8 : x + 11, y: inner ? y - 10 : y + 4,
    }, words.length > 22 ? `${words.slice(0, 21)}…` : words));
  if (label >= 0 && label !== predicted) {
    mark.append(make('circle', { class: 'ring', cx: x, cy: y, r: level ? 9 : 11 }));
  }
  return mark;
};
