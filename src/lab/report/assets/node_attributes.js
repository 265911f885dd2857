// Which attributes, and whose, made the model say what it says of a node.
const signed = (value, digits) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

// A bar to the right of the middle for what supports the prediction, to the
// left for what speaks against it, and the number.
const contribution = (value, most) => {
  const length = most > 0 ? 40 * Math.abs(value) / most : 0;
  return make('span', { class: 'contribution' },
    make('svg', { class: 'og-plot', viewBox: '-41 0 82 12', 'aria-hidden': 'true' },
      make('rect', {
        class: `og-bar ${value < 0 ? 'og-s1' : 'og-s0'}`, x: value < 0 ? -length : 0, y: 1, width: length, height: 10,
      }),
      make('path', { class: 'og-axis', d: 'M0 0V12' })),
    signed(value, 3));
};

const attributeTable = (found) => {
  const most = Math.max(...found.rows.map((row) => Math.abs(row[2])), 0);
  const rows = found.rows.map(([name, value, own, others, change, then]) => [
    make('span', { class: 'attribute' }, name, make('small', {}, value)), contribution(own, most), signed(others, 3),
    change === null ? '' : signed(100 * change, 2), then === null ? '' : classMark(then)]);
  const out = [table([found.word, 'contribution', 'of other nodes', 'without it', 'prediction then'], rows)];
  if (found.more) {
    out.push(make('p', { class: 'note' }, `and ${found.more} more ${found.word}s, ${signed(found.moreOwn, 3)} together`));
  }
  return out;
};

const attributePart = (v, found) => {
  const name = `Which ${found.word ?? 'attribute'}s mattered`;
  if (found.why) return part(name, make('p', { class: 'note' }, found.why));
  const predicted = nodeData.className(nodeData.predicted(v));
  return part(name,
    make('p', { class: 'lead' }, `The probability of “${predicted}” is ${percent(found.base)} for an average node`
      + ` and ${percent(found.probability)} for this one: ${percent(found.ownShare, 0)} due to its own ${found.word}s,`
      + ` ${percent(1 - found.ownShare, 0)} to those of other nodes.`),
    ...attributeTable(found),
    make('p', { class: 'note' }, `Contributions add up to the difference of the log-odds (integrated gradients, ${found.steps} steps,`
      + ` ${signed(found.residual, 4)} left over). “Without it” gives the node the average value and runs the model again:`
      + ' change of the probability in points.'));
};

const neighbourPart = (found) => {
  const most = Math.max(...found.neighbours.map((row) => Math.abs(row[2])), 0);
  const rows = found.neighbours.map(([u, distance, value]) => [nodeLink(u), String(distance),
    classMark(nodeData.predicted(u)), contribution(value, most)]);
  const out = part(`Other nodes whose ${found.word}s mattered`,
    table(['node', 'hops', 'its prediction', 'contribution'], rows));
  if (found.numNeighbours > rows.length) {
    out.append(make('p', { class: 'note' }, `The strongest of ${found.numNeighbours}.`));
  }
  return out;
};
