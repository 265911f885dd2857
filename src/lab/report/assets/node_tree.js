// The rooted tree of a node: who reaches it, and after how many hops.
const kMostDepth = 3;
const kMostTreeNodes = 60;
const mostChildren = (depth) => (depth === 0 ? 8 : 4);

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
    const room = Math.max(Math.min(mostChildren(entry[2]), kMostTreeNodes - tree.length), 0);
    for (const u of children.slice(0, room)) tree.push([u, at, entry[2] + 1, 0]);
    entry[3] = Math.max(children.length - room, 0);
  }
  return tree;
};

// What a screen can show of a tree.
const prunedTree = (tree) => {
  const out = [], places = new Map(), children = [];
  tree.forEach(([v, parent, depth, leftOut], i) => {
    const at = places.get(parent);
    if (i > 0) {
      if (at === undefined) return;
      if (depth > kMostDepth || children[at] >= mostChildren(depth - 1) || out.length >= kMostTreeNodes) {
        out[at][3]++;
        return;
      }
      children[at]++;
    }
    places.set(i, out.length);
    children.push(0);
    out.push([v, i > 0 ? at : -1, depth, leftOut]);
  });
  return out;
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
const dot = (classes) => make('svg', { class: 'og-plot dot', viewBox: '-1 -1 14 14', 'aria-hidden': 'true' },
  make('circle', { class: `og-bar ${classes}`, cx: 6, cy: 6, r: 6 }));

// Rows of leaves from top to bottom, hops from left to right. A leaf tells the
// number of its children that are not drawn, another node has a row for them.
const drawTree = (tree) => {
  const kRow = 24, kColumn = 132, kLeft = 20, kTop = 46;
  const children = tree.map(() => []);
  tree.forEach((entry, i) => { if (entry[1] >= 0) children[entry[1]].push(i); });
  const y = [], rest = [];
  let rows = 0;
  const placeAt = (i) => {
    children[i].forEach(placeAt);
    const below = children[i].map((child) => y[child]);
    if (below.length && tree[i][3] > 0) {
      rest.push([i, kTop + kRow * rows]);
      below.push(kTop + kRow * rows++);
    }
    y[i] = below.length ? (below[0] + below[below.length - 1]) / 2 : kTop + kRow * rows++;
  };
  placeAt(0);
  const depth = Math.max(...tree.map((entry) => entry[2]));
  const x = (level) => kLeft + kColumn * level;
  const width = x(depth) + kColumn + 40, height = kTop + kRow * rows;
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
  for (const [i, at] of rest) {
    link(y[i], at, tree[i][2] + 1);
    picture.append(make('text', { class: 'og-note', x: x(tree[i][2] + 1) + 4, y: at + 4 }, `${tree[i][3]} more`));
  }
  tree.forEach((entry, i) => picture.append(treeMark(entry, x(entry[2]), y[i], children[i].length > 0)));
  return { picture, rootRow: y[0], depth };
};

const treeMark = ([v, , level, leftOut], x, y, inner) => {
  const predicted = nodeData.predicted(v), label = nodeData.label(v);
  // A name needs the room; the class is told by its colour.
  const name = nodeData.named ? nodeData.name(v) : `${v} · ${nodeData.className(predicted)}`;
  const words = name.length > 20 ? `${name.slice(0, 19)}…` : name;
  const told = `node ${nodeData.name(v)}: predicted ${nodeData.className(predicted)}`
    + ` (${Math.round(100 * nodeData.confidence(v))} %), label ${nodeData.className(label)}`
    + (leftOut ? `; ${leftOut} more nodes reach it` : '');
  const mark = make('a', { inSvg: true, href: `#node=${v}`, 'aria-label': told, class: 'tree-node' },
    make('title', {}, told),
    make('circle', { class: `og-mark ${colour(predicted)}`, cx: x, cy: y, r: level ? 6 : 8 }),
    make('text', {
      class: 'og-tick og-halo', x: inner ? x - 8 : x + (level ? 11 : 16), y: inner ? y - 10 : y + 4,
    }, !inner && leftOut ? `${words}  +${leftOut}` : words));
  if (label >= 0 && label !== predicted) {
    mark.append(make('circle', { class: 'ring', cx: x, cy: y, r: level ? 9 : 11 }));
  }
  return mark;
};
