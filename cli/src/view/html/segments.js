// The segments of the timeline: read from their packed form, found by time, and merged into pixels
// by their shares of a pixel's time, so that nothing is hidden and hundreds of thousands stay quick.

const HIDDEN = 6; // paint of what is switched off, beside the six categories
const NOTHING = 7;

// Numbers in base 32, least significant digit first; see page_data.rs.
function unpack(text) {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const value = new Uint8Array(128);
  [...digits].forEach((digit, index) => { value[digit.charCodeAt(0)] = index; });
  const numbers = [];
  let [number, weight] = [0, 1];
  for (let i = 0; i < text.length; i++) {
    const digit = value[text.charCodeAt(i)];
    number += (digit & 31) * weight;
    weight *= 32;
    if (digit < 32) {
      numbers.push(number);
      number = 0;
      weight = 1;
    }
  }
  return numbers;
}

function readRank(text) {
  const numbers = unpack(text);
  const count = numbers.length / 2;
  const ends = new Float64Array(count);
  const kinds = new Uint32Array(count);
  let end = 0;
  for (let i = 0; i < count; i++) {
    end += numbers[2 * i];
    ends[i] = end;
    kinds[i] = numbers[2 * i + 1];
  }
  return { ends, kinds };
}

// Index of the segment that holds `time`; the number of segments after the last.
function segmentAt(rank, time) {
  let [low, high] = [0, rank.ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rank.ends[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Goes through the pixel columns of a view from left to right: `run(from, to, paint)` for columns
// that one segment fills, `pixel(x, shares)` with the shares of time by paint for all others.
function mergePixels(rank, view, width, paintOf, run, pixel) {
  const scale = width / (view.to - view.from);
  const shares = new Float64Array(8);
  let column = -1;
  const flush = () => {
    if (column >= 0 && column < width) pixel(column, shares);
    shares.fill(0);
    column = -1;
  };
  let index = segmentAt(rank, view.from);
  let start = Math.max(view.from, index > 0 ? rank.ends[index - 1] : 0);
  for (; index < rank.ends.length && start < view.to; index++) {
    const end = Math.min(rank.ends[index], view.to);
    const paint = paintOf[rank.kinds[index]];
    const [left, right] = [(start - view.from) * scale, (end - view.from) * scale];
    const [first, last] = [Math.floor(left), Math.floor(right)];
    if (column !== first) {
      flush();
      column = first;
    }
    if (last === first) {
      shares[paint] += right - left;
    } else {
      shares[paint] += first + 1 - left;
      flush();
      if (last > first + 1) run(first + 1, Math.min(last, width), paint);
      column = last;
      shares[paint] += right - last;
    }
    start = end;
  }
  flush();
}

function packColour(text) {
  const number = parseInt(text.slice(1), 16);
  return (255 << 24 | (number & 255) << 16 | (number >> 8 & 255) << 8 | number >> 16) >>> 0;
}

// By pixel column of the whole run: the shares of all ranks' time by category.
function sumPixels(ranks, end, width) {
  const columns = Array.from({ length: width }, () => new Float64Array(6));
  const categoryOf = Uint8Array.from(data.kinds, ([category]) => category);
  const each = 1 / ranks.length;
  for (const rank of ranks) {
    const run = (from, to, category) => { for (let x = from; x < to; x++) columns[x][category] += each; };
    mergePixels(rank, { from: 0, to: end }, width, categoryOf, run, (x, shares) => {
      for (let category = 0; category < 6; category++) columns[x][category] += shares[category] * each;
    });
  }
  return columns;
}
