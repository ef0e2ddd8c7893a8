"use strict";
// What lies in the page packed (packing.py): bytes in base 85, compressed by zlib (RFC 1950 and 1951), tables folded.
// Not by DecompressionStream: that answers later, and a figure must be there when the page is printed.
const unpack = (() => {
  const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
  const VALUES = new Uint8Array(128);
  [...LETTERS].forEach((letter, i) => { VALUES[letter.charCodeAt(0)] = i; });

  function bytesOf(text) {
    const groups = Math.ceil(text.length / 5);
    const made = new DataView(new ArrayBuffer(4 * groups));
    for (let group = 0; group < groups; group++) {
      let value = 0;
      for (let i = 5 * group; i < 5 * group + 5; i++) value = 85 * value + (i < text.length ? VALUES[text.charCodeAt(i)] : 84);
      made.setUint32(4 * group, value);
    }
    return new Uint8Array(made.buffer, 0, 4 * groups - (5 * groups - text.length));
  }

  // Symbols of a prefix code by the next bits, the first of them lowest: 16 * symbol + length of its word.
  function tableOf(lengths) {
    const longest = Math.max(1, ...lengths);
    const table = new Uint16Array(1 << longest);
    let word = 0;
    for (let length = 1; length <= longest; length++, word <<= 1) {
      lengths.forEach((own, symbol) => {
        if (own !== length) return;
        let start = 0;
        for (let bit = 0; bit < length; bit++) start |= ((word >> bit) & 1) << (length - 1 - bit);
        for (let at = start; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
        word++;
      });
    }
    return table;
  }

  // Symbols for ranges of numbers: the number of extra bits of each, and where its range begins.
  function ranges(n, first, extraOf) {
    const extra = Array.from({ length: n }, (_, i) => extraOf(i));
    const starts = extra.map(() => 0);
    extra.forEach((bits, i) => { starts[i] = first; first += 1 << bits; });
    return { extra, starts };
  }
  const RUNS = ranges(28, 3, (i) => (i < 8 ? 0 : (i - 4) >> 2));
  const BACK = ranges(30, 1, (i) => (i < 4 ? 0 : (i - 2) >> 1));
  RUNS.extra.push(0);
  RUNS.starts.push(258);
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const FIXED = [...Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))];

  function inflate(source) {
    let at = 2, held = 0, count = 0, size = 0, made = new Uint8Array(8 * source.length);
    const bits = (n) => {
      for (; count < n; count += 8) held |= source[at++] << count;
      const value = held & ((1 << n) - 1);
      held >>>= n;
      count -= n;
      return value;
    };
    const symbol = (table) => {
      for (; count < 15; count += 8) held |= source[at++] << count;
      const entry = table[held & (table.length - 1)];
      held >>>= entry & 15;
      count -= entry & 15;
      return entry >> 4;
    };
    const room = (more) => {
      if (size + more <= made.length) return;
      const larger = new Uint8Array(2 * (size + more));
      larger.set(made);
      made = larger;
    };
    const lengthsOf = (table, n) => {
      const lengths = [];
      while (lengths.length < n) {
        const read = symbol(table);
        if (read < 16) lengths.push(read);
        else if (read === 16) lengths.push(...Array(3 + bits(2)).fill(lengths.at(-1)));
        else lengths.push(...Array(read === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
      }
      return lengths;
    };
    const described = () => {
      const [nRuns, nBack, nLengths] = [257 + bits(5), 1 + bits(5), 4 + bits(4)];
      const own = Array(19).fill(0);
      for (let i = 0; i < nLengths; i++) own[ORDER[i]] = bits(3);
      const lengths = lengthsOf(tableOf(own), nRuns + nBack);
      return [lengths.slice(0, nRuns), lengths.slice(nRuns)];
    };
    const stored = () => {
      at -= count >> 3;
      held = count = 0;
      const length = source[at] | (source[at + 1] << 8);
      room(length);
      made.set(source.subarray(at + 4, at + 4 + length), size);
      size += length;
      at += 4 + length;
    };
    for (let last = 0; !last;) {
      last = bits(1);
      const kind = bits(2);
      if (kind === 0) { stored(); continue; }
      const [runs, back] = (kind === 1 ? [FIXED, Array(30).fill(5)] : described()).map(tableOf);
      for (;;) {
        const read = symbol(runs);
        if (read === 256) break;
        room(258);
        if (read < 256) { made[size++] = read; continue; }
        const length = RUNS.starts[read - 257] + bits(RUNS.extra[read - 257]);
        const distance = symbol(back);
        const from = size - BACK.starts[distance] - bits(BACK.extra[distance]);
        for (let i = 0; i < length; i++) made[size++] = made[from + i];
      }
    }
    return made.subarray(0, size);
  }

  const textOf = (bytes) => new TextDecoder().decode(bytes);

  // The cells of a table, row by row again: an empty line stands for the cell above.
  function unfolded(text) {
    const lines = text.split("\n");
    const n = Number(lines[0].slice(1)), m = (lines.length - 1) / n;
    for (let i = 1; i < lines.length; i++) {
      if (lines[i] === "" && (i - 1) % m > 0) lines[i] = lines[i - 1];
    }
    const row = (i) => Array.from({ length: n }, (_, j) => lines[1 + j * m + i]).join(",").replaceAll("\u0002", "");
    return Array.from({ length: m }, (_, i) => row(i) + "\n").join("");
  }

  return {
    text: (packed) => textOf(inflate(bytesOf(packed))),
    file: (packed) => {
      const bytes = inflate(bytesOf(packed));
      return bytes[0] === 1 ? unfolded(textOf(bytes)) : bytes;
    },
  };
})();
