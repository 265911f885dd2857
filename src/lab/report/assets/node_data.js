// What the page knows of nodes. Lists are decoded when they are first asked for.
const nodeData = (() => {
  const text = (name) => document.getElementById(`nodes-${name}`).textContent;
  const about = JSON.parse(text('about'));
  const kept = new Map();
  const once = (name, make) => {
    if (!kept.has(name)) kept.set(name, make());
    return kept.get(name);
  };
  const bytes = (name) => once(name, () => {
    const binary = atob(text(name));
    const out = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
    return out;
  });
  const json = (name) => once(name, () => JSON.parse(text(name)));
  const classAt = (name, v) => {
    const list = bytes(name);
    return (about.wide ? list[2 * v] + 256 * list[2 * v + 1] : list[v]) - 1;
  };

  // Numbers of seven bits a byte, the lowest first.
  let place = 0;
  const varint = (list) => {
    let value = 0, scale = 1, byte;
    do {
      byte = list[place++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  const degrees = () => once('degrees', () => {
    const list = bytes('degree');
    const out = new Int32Array(list.length ? about.nodes : 0);
    place = 0;
    for (let v = 0; v < out.length; v++) out[v] = varint(list);
    return out;
  });
  // Where the list of each node begins.
  const starts = () => once('starts', () => {
    const list = bytes('neighbours');
    const out = new Int32Array(about.nodes);
    place = 0;
    for (let v = 0; v < about.nodes; v++) {
      out[v] = place;
      for (let left = varint(list); left > 0; left--) varint(list);
    }
    return out;
  });

  return {
    about,
    hasNeighbours: about.most_neighbours !== 0,
    label: (v) => classAt('label', v),
    predicted: (v) => classAt('predicted', v),
    confidence: (v) => bytes('confidence')[v] / 255,
    homophily: (v) => {
      const byte = bytes('homophily')[v] ?? 255;
      return byte === 255 ? NaN : byte / 254;
    },
    part: (v) => ['', 'train', 'val', 'test'][bytes('part')[v] ?? 0],
    degree: (v) => degrees()[v] ?? NaN,
    shares(v) {
      const row = Array.from(bytes('shares').subarray(v * about.shares, (v + 1) * about.shares));
      const sum = row.reduce((a, b) => a + b, 0) || 1;
      return row.map((share) => share / sum);
    },
    neighbours(v) {
      const list = bytes('neighbours');
      place = starts()[v];
      const out = new Array(varint(list));
      let last = 0;
      for (let i = 0; i < out.length; i++) out[i] = last += varint(list);
      return out;
    },
    className: (c) => (c < 0 ? 'unknown' : about.classes[c]),
    get named() { return json('names').length > 0; },
    name: (v) => json('names')[v] || String(v),
    detail: (v) => once('by-node', () => new Map(json('details').map((one) => [one.node, one]))).get(v),
    // The node that a reader's word means: its name, or its number.
    find(word) {
      const named = word === '' ? -1 : json('names').indexOf(word);
      if (named >= 0) return named;
      return this.isNumber(word) ? Number(word) : -1;
    },
    isNumber: (word) => /^\d+$/.test(word) && Number(word) < about.nodes,
  };
})();
