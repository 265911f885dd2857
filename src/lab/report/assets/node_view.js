// The view of one node, opened by #node=NUMBER, the search or a link.
const panel = document.getElementById('node-panel');
const message = document.getElementById('node-message');
const input = document.getElementById('node-input');

const percent = (share, digits = 1) => (Number.isFinite(share) ? `${(100 * share).toFixed(digits)} %` : 'unknown');
const classMark = (c) => make('span', {}, dot(colour(c)), nodeData.className(c));
const fact = (name, value) => make('div', {}, make('dt', {}, name), make('dd', {}, value));
const table = (header, rows) => {
  const cell = (tag, value) => make(tag, tag === 'th' ? { scope: 'col' } : {}, value);
  return make('div', { class: 'scroll' }, make('table', {},
    make('thead', {}, make('tr', {}, ...header.map((name) => cell('th', name)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((value) => cell('td', value)))))));
};
const nodeLink = (v) => make('a', { href: `#node=${v}` }, nodeData.name(v));
const part = (title, ...content) => make('div', {}, make('h4', {}, title), ...content);

const kShades = 9;
const shareClass = (k, count) => {
  if (k === 0) return 'og-s1';
  const steps = count - 1;
  return `og-q${steps === 1 ? 4 : 1 + Math.floor((k - 1) * (kShades - 2) / (steps - 1))}`;
};
const hopName = (k, count) => {
  if (k === 0) return 'the node itself';
  return k === count - 1 && count - 1 < nodeData.about.hops ? `hop ${k} and beyond` : `hop ${k}`;
};
const shareBar = (shares) => {
  const bar = make('svg', { class: 'og-plot shares', role: 'img', 'aria-label': 'Shares of the hops' });
  let from = 0;
  shares.forEach((share, k) => {
    bar.append(make('rect', {
      class: `og-bar ${shareClass(k, shares.length)}`, x: `${100 * from}%`, width: `${100 * share}%`, height: '100%',
    }, make('title', {}, `${hopName(k, shares.length)}: ${percent(share)}`)));
    from += share;
  });
  const keys = shares.map((share, k) => [share, k]).filter(([share]) => share >= 0.005)
    .map(([share, k]) => make('li', {}, dot(shareClass(k, shares.length)), `${hopName(k, shares.length)} ${percent(share)}`));
  return [bar, make('ul', { class: 'keys' }, ...keys)];
};

// The most frequent classes of some nodes, as text.
const mostly = (counts) => {
  const order = [...counts.entries()].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const out = make('span');
  order.slice(0, 3).forEach(([c, count]) => out.append(classMark(c), `: ${count}\u2003`));
  if (order.length > 3) out.append(`and ${order.length - 3} more`);
  return out;
};
const countsOf = (list, of) => {
  const counts = new Map();
  for (const v of list) if (of(v) >= 0) counts.set(of(v), (counts.get(of(v)) ?? 0) + 1);
  return counts;
};
const pairsOf = (counts) => new Map(counts.map((count, c) => [c, count]).filter(([, count]) => count > 0));
const hopTable = (v, detail, shares) => {
  const hops = Math.max(nodeData.about.hops, 2);
  const rows = detail?.hops
    ? detail.hops.map((hop) => [hop.hop, hop.nodes, pairsOf(hop.labels), pairsOf(hop.predictions)])
    : reachLevels(v, hops).map((list, hop) => [hop, list.length,
      countsOf(list, nodeData.label), countsOf(list, nodeData.predicted)]);
  return table(['hop', ...(shares.length ? ['share'] : []), 'nodes', 'labels', 'predictions'],
    rows.map(([hop, count, labels, predictions]) => [
      String(hop), ...(shares.length ? [hop < shares.length ? percent(shares[hop]) : ''] : []),
      String(count), mostly(labels), mostly(predictions)]));
};

const depthOf = (shares) => {
  if (!shares.length) return 2;
  let sum = 0, depth = 0;
  while (depth < shares.length - 1 && (sum += shares[depth]) < 0.95) depth++;
  return Math.max(depth, 1);
};
// What can be done only when the view is in the page.
const afterShow = [];
const treePart = (v, detail, shares) => {
  if (!detail?.tree && !nodeData.hasNeighbours) {
    return part('Its rooted tree', make('p', { class: 'note' }, 'This page does not hold the neighbours of this node.'));
  }
  const matters = depthOf(shares);
  const tree = detail?.tree ? prunedTree(detail.tree) : growTree(v, Math.min(matters, kMostDepth));
  const shown = [...new Set(tree.map((entry) => nodeData.predicted(entry[0])))].sort((a, b) => a - b);
  const { picture, rootRow, depth } = drawTree(tree);
  const box = make('div', { class: 'tree', role: 'group', 'aria-label': 'Rooted tree' }, picture);
  afterShow.push(() => { box.scrollTop = rootRow - box.clientHeight / 2; });
  const keys = shown.slice(0, 12).map((c) => make('li', {}, classMark(c)));
  keys.push(make('li', {}, 'colour: prediction; ring: the label is another'));
  const out = part('Its rooted tree', box, make('ul', { class: 'keys' }, ...keys));
  if (depth < matters && shares.length && tree.length > 1) {
    out.append(make('p', { class: 'note' }, `Drawn to hop ${depth}; 95 % of its neurons come from within ${matters} hops.`));
  }
  return out;
};

const probabilityPart = (detail) => part('Probabilities', table(['class', 'probability'],
  detail.probabilities.map(([c, p]) => [classMark(c), percent(p)])));
const cutPart = (detail) => part('If messages stopped after a hop', table(
  ['hops', 'prediction', 'its probability', 'of the final prediction'],
  detail.cuts.map((cut) => [String(cut.hops), classMark(cut.predicted), percent(cut.probability), percent(cut.final)])));
const influencePart = (detail) => {
  const most = detail.influences.slice(0, 12);
  const rows = most.map((one) => [nodeLink(one.node), String(one.distance),
    `${one.change > 0 ? '+' : '−'}${Math.abs(100 * one.change).toFixed(2)}`, classMark(one.predicted)]);
  return part('Neighbours whose removal changes it most',
    make('p', { class: 'note' }, `${detail.influences.length} of ${detail.candidates} nodes within the tree’s depth were taken out`
      + ' of the graph, one at a time; change of the predicted class’s probability in points.'),
    table(['node', 'hops', 'change', 'prediction then'], rows));
};

// What is to be said when the node that was searched for is shown.
let noteOnShow = '';
const showNode = (v) => {
  const detail = nodeData.detail(v);
  const shares = nodeData.shares(v);
  const label = nodeData.label(v), predicted = nodeData.predicted(v);
  const verdict = label < 0 ? '' : make('small', { class: label === predicted ? 'right' : 'wrong' },
    label === predicted ? 'right' : 'wrong');
  const heading = make('h3', { tabindex: '-1' }, `Node ${nodeData.name(v)}`
    + (nodeData.name(v) === String(v) ? '' : ` (number ${v})`));
  const prediction = fact('prediction', classMark(predicted));
  prediction.lastChild.append(verdict);
  const found = detail?.attribution;
  const left = make('div', {}, treePart(v, detail, shares));
  if (found?.neighbours?.length) left.append(neighbourPart(found));
  const right = make('div', {});
  if (detail?.probabilities) right.append(probabilityPart(detail));
  if (detail?.cuts?.length) right.append(cutPart(detail));
  if (detail?.influences?.length) right.append(influencePart(detail));
  const content = [heading, make('dl', { class: 'facts' },
    prediction, fact('label', classMark(label)), fact('confidence', percent(nodeData.confidence(v))),
    fact('part', nodeData.part(v) || 'none'), fact('in-neighbours', String(nodeData.degree(v))),
    fact('local homophily', percent(nodeData.homophily(v), 0)))];
  if (found) content.push(attributePart(v, found));
  if (shares.length) content.push(part('Where its neurons come from', ...shareBar(shares)));
  content.push(right.children.length ? make('div', { class: 'split' }, left, right) : left);
  if (detail?.hops || nodeData.hasNeighbours) {
    content.push(part('What each hop says', hopTable(v, detail, shares)));
  }
  if (!detail || !found) {
    const missing = detail ? 'For what its attributes contribute'
      : 'For what its attributes contribute, the effect of single neighbours and of cutting messages short';
    content.push(make('p', { class: 'note' }, `${missing}: ognn explain … --node '${nodeData.name(v)}'`));
  }
  panel.replaceChildren(...content);
  panel.hidden = false;
  message.textContent = noteOnShow;
  noteOnShow = '';
  message.classList.remove('wrong');
  afterShow.splice(0).forEach((act) => act());
  markScrolling();
  heading.focus({ preventScroll: true });
  panel.scrollIntoView({ block: 'start', behavior: 'instant' });
};

const complain = (word) => {
  message.textContent = word === '' ? 'Give a node: a number or a name.'
    : `There is no node “${word}”; nodes are ${nodeData.named ? 'known by their names, or ' : ''}0 to ${nodeData.about.nodes - 1}.`;
  message.classList.add('wrong');
};
// Links are by number, and a name may look like the number of another node.
const openHash = () => {
  const asked = /^#node=(.*)$/.exec(location.hash);
  if (!asked) return;
  const word = decodeURIComponent(asked[1]);
  const v = nodeData.isNumber(word) ? Number(word) : nodeData.find(word);
  if (v < 0) complain(word);
  else showNode(v);
};
document.getElementById('node-search').addEventListener('submit', (event) => {
  event.preventDefault();
  const word = input.value.trim();
  const v = nodeData.find(word);
  if (v < 0) { complain(word); return; }
  if (nodeData.isNumber(word) && Number(word) !== v) {
    noteOnShow = `“${word}” is the name of this node; the node with that number is “${nodeData.name(Number(word))}”.`;
  }
  if (location.hash === `#node=${v}`) showNode(v);
  else location.hash = `node=${v}`;
});
addEventListener('hashchange', openHash);
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    input.focus();
  }
});
openHash();
