// The timeline: ranks as rows, time to the right. Segments that share a pixel are merged into it
// by their shares of its time, so that nothing is hidden and hundreds of thousands stay quick.

const GUTTER = 46; // CSS pixels left of the rows for the ranks' numbers
const OVERVIEW_HEIGHT = 36;
const HIDDEN = 6; // paint of what is switched off, beside the six categories
const NOTHING = 7;
const SHORTEST_VIEW = 20; // ticks

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

// Calls `pixel(x, shares, sole)` for each pixel column of the view: the shares of its time by
// paint, or the one paint that fills columns `x` to `to` in `run(x, to, paint)`.
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

class Timeline {
  constructor(section) {
    this.section = section;
    this.plot = section.querySelector(".plot");
    this.rows = section.querySelector(".rows");
    this.canvas = this.rows.querySelector("canvas");
    this.overview = section.querySelector(".overview");
    this.axis = section.querySelector(".axis");
    this.range = section.querySelector(".range");
    this.ranks = data.timeline.map(readRank);
    this.end = Math.max(1, ...this.ranks.map((rank) => rank.ends.at(-1) ?? 0));
    this.view = { from: 0, to: this.end };
    this.rowHeight = Math.max(3, Math.min(26, Math.floor(560 / this.ranks.length)));
    this.off = new Set();
    this.chosen = null;
    this.cursor = null;
    this.lastScroll = 0;
    this.rows.style.height = this.ranks.length * this.rowHeight + "px";
    this.listen();
    redrawWhenNeeded(this.plot, () => { this.colours = null; this.draw(); });
  }

  get width() { return Math.max(1, this.plot.clientWidth - GUTTER); }
  get whole() { return { from: 0, to: this.end }; }

  // Paint by kind of segment: its category, or switched off.
  paints() {
    return Uint8Array.from(data.kinds, ([category, activity]) =>
      this.off.has(category) || (this.chosen && !this.chosen.has(activity)) ? HIDDEN : category);
  }

  draw() {
    if (!this.colours) {
      this.colours = theme();
      this.packed = [...this.colours.categories, this.colours.dim, this.colours.card].map(packColour);
      this.overviewImage = null;
    }
    this.drawRows();
    this.drawAxis();
    this.drawOverview();
    const { from, to } = this.view;
    const shown = to - from >= this.end ? "all of " : spellTime(from * data.tick) + " to " + spellTime(to * data.tick) + " of ";
    this.range.textContent = this.cursorWords() ?? shown + spellTime(this.end * data.tick);
  }

  drawLater() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  drawRows() {
    const high = Math.min(this.plot.clientHeight, this.ranks.length * this.rowHeight);
    const context = prepareCanvas(this.canvas, this.plot.clientWidth, high);
    this.canvas.style.width = this.plot.clientWidth + "px";
    const scale = window.devicePixelRatio || 1;
    const [wide, tall] = [Math.max(1, Math.round(this.width * scale)), this.canvas.height];
    const image = new ImageData(wide, tall);
    const pixels = new Uint32Array(image.data.buffer).fill(this.packed[NOTHING]);
    const top = this.plot.scrollTop;
    const first = Math.floor(top / this.rowHeight);
    const last = Math.min(this.ranks.length, Math.ceil((top + high) / this.rowHeight));
    const paints = this.paints();
    const gap = this.rowHeight >= 8 ? 2 : this.rowHeight >= 5 ? 1 : 0;
    for (let rank = first; rank < last; rank++) {
      const y = rank * this.rowHeight - top;
      const band = [Math.max(0, Math.round(y * scale)), Math.min(tall, Math.round((y + this.rowHeight - gap) * scale))];
      this.paintRow(this.ranks[rank], pixels, wide, band, paints);
    }
    context.putImageData(image, Math.round(GUTTER * scale), 0);
    this.drawNames(context, first, last, top);
    this.drawLabels(context, first, last, top);
    this.drawMarks(context, top, high);
  }

  paintRow(rank, pixels, wide, [top, bottom], paints) {
    const packed = this.packed;
    const height = bottom - top;
    const run = (from, to, paint) => {
      for (let y = top; y < bottom; y++) pixels.fill(packed[paint], y * wide + from, y * wide + to);
    };
    mergePixels(rank, this.view, wide, paints, run, (x, shares) => {
      let filled = 0;
      let y = bottom;
      for (let paint = 0; paint <= HIDDEN; paint++) {
        if (shares[paint] === 0) continue;
        filled += shares[paint];
        const upTo = bottom - Math.round(Math.min(1, filled) * height);
        for (; y > upTo; ) pixels[--y * wide + x] = packed[paint];
      }
    });
  }

  drawNames(context, first, last, top) {
    const every = Math.max(1, roundStep(Math.max(2, 15 / this.rowHeight), 1));
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let rank = first; rank < last; rank++) {
      if (rank % (this.rowHeight >= 15 ? 1 : every) !== 0) continue;
      context.fillStyle = this.cursor?.rank === rank ? this.colours.accent : this.colours.soft;
      context.fillText(String(rank), GUTTER - 8, (rank + 0.5) * this.rowHeight - top);
    }
  }

  // Borders and names of segments that are wide enough to carry them.
  drawLabels(context, first, last, top) {
    if (this.rowHeight < 15) return;
    const scale = this.width / (this.view.to - this.view.from);
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    for (let row = first; row < last; row++) {
      const rank = this.ranks[row];
      let index = segmentAt(rank, this.view.from);
      // Rows with more segments than can be labelled are left as they are.
      if (segmentAt(rank, this.view.to) - index > this.width / 8) continue;
      for (; index < rank.ends.length; index++) {
        const start = index > 0 ? rank.ends[index - 1] : 0;
        if (start >= this.view.to) break;
        const left = Math.max(0, (start - this.view.from) * scale);
        const right = Math.min(this.width, (rank.ends[index] - this.view.from) * scale);
        this.drawLabel(context, row * this.rowHeight - top, left + GUTTER, right + GUTTER, rank.kinds[index]);
      }
    }
  }

  drawLabel(context, y, left, right, kind) {
    if (right - left < 4) return;
    const height = this.rowHeight - 2;
    context.fillStyle = this.colours.card;
    context.fillRect(right - 0.5, y, 1, height);
    const activity = data.activities[data.kinds[kind][1]];
    if (!activity || right - left < 60 || this.paints()[kind] === HIDDEN) return;
    const words = activity[0].startsWith("MPI_") ? activity[0] + " " + activity[1] : activity[1];
    if (context.measureText(words).width > right - left - 8) return;
    // Black on the light and white on the dark colours of the scheme.
    context.fillStyle = [1, 4, 5].includes(data.kinds[kind][0]) ? "#14181d" : "#ffffff";
    context.fillText(words, left + 5, y + height / 2);
  }

  drawMarks(context, top, high) {
    const scale = this.width / (this.view.to - this.view.from);
    if (this.selection) {
      const [from, to] = [...this.selection].sort((a, b) => a - b);
      context.globalAlpha = 0.3;
      context.fillStyle = this.colours.accent;
      context.fillRect(from, 0, to - from, high);
      context.globalAlpha = 1;
    }
    const found = this.cursorSegment();
    if (!found) return;
    const left = GUTTER + Math.max(0, (found.start - this.view.from) * scale);
    const right = GUTTER + Math.min(this.width, (found.end - this.view.from) * scale);
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 2;
    context.strokeRect(left, this.cursor.rank * this.rowHeight - top, Math.max(2, right - left), this.rowHeight - 2);
  }

  drawAxis() {
    const context = prepareCanvas(this.axis, this.axis.clientWidth, 24);
    const { from, to } = this.view;
    const step = roundStep(to - from, this.width / 110);
    context.textBaseline = "middle";
    for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
      const x = GUTTER + ((tick - from) / (to - from)) * this.width;
      context.fillStyle = this.colours.line;
      context.fillRect(Math.round(x), 16, 1, 8);
      context.fillStyle = this.colours.soft;
      const words = spellTick(tick * data.tick, step * data.tick, to * data.tick);
      context.textAlign = x > GUTTER + this.width - 40 ? "right" : x < GUTTER + 24 ? "left" : "center";
      context.fillText(words, x, 8);
    }
  }

  // Shares of all ranks' time by categories, over the whole run, with the view marked in it.
  drawOverview() {
    const context = prepareCanvas(this.overview, this.overview.clientWidth, OVERVIEW_HEIGHT);
    const wide = Math.round(this.width);
    if (!this.overviewImage || this.overviewImage.length !== wide) this.overviewImage = this.sumColumns(wide);
    this.overviewImage.forEach((shares, x) => {
      let y = OVERVIEW_HEIGHT;
      shares.forEach((share, category) => {
        if (share === 0) return;
        context.fillStyle = this.colours.categories[category];
        context.fillRect(GUTTER + x, y - share * OVERVIEW_HEIGHT, 1, share * OVERVIEW_HEIGHT);
        y -= share * OVERVIEW_HEIGHT;
      });
    });
    const [left, right] = [this.view.from, this.view.to].map((time) => GUTTER + (time / this.end) * this.width);
    context.globalAlpha = 0.65;
    context.fillStyle = this.colours.card;
    context.fillRect(GUTTER, 0, left - GUTTER, OVERVIEW_HEIGHT);
    context.fillRect(right, 0, GUTTER + this.width - right, OVERVIEW_HEIGHT);
    context.globalAlpha = 1;
    if (right - left >= this.width - 1) return;
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 1.5;
    context.strokeRect(left, 0.75, Math.max(2, right - left), OVERVIEW_HEIGHT - 1.5);
  }

  sumColumns(wide) {
    const columns = Array.from({ length: wide }, () => new Float64Array(6));
    const paintOf = Uint8Array.from(data.kinds, ([category]) => category);
    const each = 1 / this.ranks.length;
    for (const rank of this.ranks) {
      const run = (from, to, paint) => { for (let x = from; x < to; x++) columns[x][paint] += each; };
      mergePixels(rank, this.whole, wide, paintOf, run, (x, shares) => {
        for (let paint = 0; paint < 6; paint++) columns[x][paint] += shares[paint] * each;
      });
    }
    return columns;
  }

  show(from, to) {
    const length = Math.min(this.end, Math.max(SHORTEST_VIEW, to - from));
    const start = Math.max(0, Math.min(from, this.end - length));
    this.view = { from: start, to: start + length };
    this.drawLater();
  }

  zoom(factor, at = (this.view.from + this.view.to) / 2) {
    const { from, to } = this.view;
    this.show(at - (at - from) * factor, at - (at - from) * factor + (to - from) * factor);
  }

  move(share) {
    const length = this.view.to - this.view.from;
    this.show(this.view.from + share * length, this.view.to + share * length);
  }

  timeAt(x) {
    const share = Math.max(0, Math.min(1, (x - GUTTER) / this.width));
    return this.view.from + share * (this.view.to - this.view.from);
  }

  pointAt(event) {
    const box = this.plot.getBoundingClientRect();
    const y = event.clientY - box.top - this.plot.clientTop + this.plot.scrollTop;
    return { x: event.clientX - box.left - this.plot.clientLeft, rank: Math.floor(y / this.rowHeight) };
  }

  segment(rank, index) {
    const { ends, kinds } = this.ranks[rank];
    const [category, activity] = data.kinds[kinds[index]];
    return { start: index > 0 ? ends[index - 1] : 0, end: ends[index], category, activity: data.activities[activity] };
  }

  describe(rank, index) {
    const { start, end, category, activity } = this.segment(rank, index);
    const where = activity ? activity[0] + " " + activity[1] + (activity[2] ? " in " + activity[2] : "") : "several, merged";
    return [
      "rank " + rank,
      [this.colours.categories[category], data.categories[category] + ", " + spellTime((end - start) * data.tick)],
      where,
      "from " + spellTime(start * data.tick) + " to " + spellTime(end * data.tick),
    ];
  }

  cursorSegment() {
    if (!this.cursor || this.cursor.index >= this.ranks[this.cursor.rank].ends.length) return null;
    return this.segment(this.cursor.rank, this.cursor.index);
  }

  cursorWords() {
    return this.cursorSegment() ? this.describe(this.cursor.rank, this.cursor.index).map((line) => [line].flat().at(-1)).join("; ") : null;
  }

  // Moves the keyboard's cursor by ranks and segments, and the view with it.
  step(ranks, segments) {
    if (!this.cursor) {
      const middle = (this.view.from + this.view.to) / 2;
      this.cursor = { rank: 0, index: segmentAt(this.ranks[0], middle), time: middle };
    } else if (ranks !== 0) {
      const rank = Math.max(0, Math.min(this.ranks.length - 1, this.cursor.rank + ranks));
      this.cursor = { rank, index: segmentAt(this.ranks[rank], this.cursor.time), time: this.cursor.time };
    } else {
      const last = this.ranks[this.cursor.rank].ends.length - 1;
      const index = Math.max(0, Math.min(last, this.cursor.index + segments));
      const { start, end } = this.segment(this.cursor.rank, index);
      this.cursor = { rank: this.cursor.rank, index, time: (start + end) / 2 };
    }
    const { time, rank } = this.cursor;
    const half = (this.view.to - this.view.from) / 2;
    if (time < this.view.from || time > this.view.to) this.show(time - half, time + half);
    const y = rank * this.rowHeight;
    if (y < this.plot.scrollTop || y + this.rowHeight > this.plot.scrollTop + this.plot.clientHeight) this.plot.scrollTop = y - this.plot.clientHeight / 2;
    this.drawLater();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6),
      ArrowLeft: () => this.move(-0.1), ArrowRight: () => this.move(0.1),
      ArrowUp: () => this.step(-1, 0), ArrowDown: () => this.step(1, 0),
      "[": () => this.step(0, -1), "]": () => this.step(0, 1),
      0: () => this.show(0, this.end), Home: () => this.show(0, this.end),
      Escape: () => { this.cursor = null; this.drawLater(); },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  wheel(event) {
    const { x } = this.pointAt(event);
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // A page that is being scrolled past goes on scrolling; so does a wheel over the ranks' numbers.
    if (x < GUTTER || event.timeStamp - this.lastScroll < 250) return;
    const everything = this.view.to - this.view.from >= this.end;
    if (everything && (sideways || event.deltaY > 0)) return;
    event.preventDefault();
    hideTip();
    const turn = (sideways ? event.deltaX || event.deltaY : event.deltaY) * (event.deltaMode === 1 ? 30 : 1);
    if (sideways) this.move(turn / 1500);
    else this.zoom(Math.exp(Math.max(-1, Math.min(1, turn / 300))), this.timeAt(x));
  }

  hover(event) {
    const { x, rank } = this.pointAt(event);
    if (x < GUTTER || rank < 0 || rank >= this.ranks.length) return hideTip();
    const [from, to] = [this.timeAt(x), this.timeAt(x + 1)];
    const index = segmentAt(this.ranks[rank], from);
    if (index >= this.ranks[rank].ends.length) return showTip(event.clientX, event.clientY, ["rank " + rank, "has ended"]);
    const lines = this.describe(rank, index);
    const shared = segmentAt(this.ranks[rank], to) - index + 1;
    if (shared > 3) lines.push("one of " + shared + " in this pixel: zoom in to tell them apart");
    showTip(event.clientX, event.clientY, lines);
  }

  drag(event) {
    if (event.button !== 0) return;
    const { x } = this.pointAt(event);
    if (x < GUTTER || x > GUTTER + this.width) return;
    this.plot.setPointerCapture(event.pointerId);
    const view = { ...this.view };
    const moving = event.shiftKey;
    this.dragged = (now) => {
      const to = Math.max(GUTTER, Math.min(GUTTER + this.width, this.pointAt(now).x));
      if (moving) {
        const shift = ((x - to) / this.width) * (view.to - view.from);
        return this.show(view.from + shift, view.to + shift);
      }
      this.selection = Math.abs(to - x) > 4 ? [x, to] : null;
      this.drawLater();
    };
  }

  drop() {
    const chosen = this.selection?.map((x) => this.timeAt(x)).sort((a, b) => a - b);
    this.dragged = this.selection = null;
    if (chosen) this.show(chosen[0], chosen[1]);
    else this.drawLater();
  }

  listen() {
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.plot.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.plot.addEventListener("scroll", () => this.drawLater());
    this.plot.addEventListener("pointerdown", (event) => this.drag(event));
    this.plot.addEventListener("pointermove", (event) => { if (this.dragged) { hideTip(); this.dragged(event); } else this.hover(event); });
    this.plot.addEventListener("pointerup", () => this.drop());
    this.plot.addEventListener("pointercancel", () => this.drop());
    this.plot.addEventListener("pointerleave", hideTip);
    addEventListener("scroll", (event) => { this.lastScroll = event.timeStamp; hideTip(); });
    this.listenToOverview();
    this.listenToButtons();
  }

  listenToOverview() {
    const centre = (event) => {
      const length = this.view.to - this.view.from;
      const time = ((event.offsetX - GUTTER) / this.width) * this.end;
      this.show(time - length / 2, time + length / 2);
    };
    this.overview.addEventListener("pointerdown", (event) => { this.overview.setPointerCapture(event.pointerId); centre(event); });
    this.overview.addEventListener("pointermove", (event) => { if (event.buttons) centre(event); });
  }

  listenToButtons() {
    const actions = { in: () => this.zoom(0.5), out: () => this.zoom(2), all: () => this.show(0, this.end) };
    this.section.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", actions[button.dataset.do]));
    this.section.querySelectorAll("[data-category]").forEach((button) => button.addEventListener("click", () => {
      const category = Number(button.dataset.category);
      if (!this.off.delete(category)) this.off.add(category);
      button.setAttribute("aria-pressed", String(!this.off.has(category)));
      this.drawLater();
    }));
  }

  // Shows only segments at this place in colour; at the same place again: all of them.
  choose(place, row) {
    const again = row.classList.contains("chosen");
    document.querySelectorAll("tr.chosen").forEach((other) => other.classList.remove("chosen"));
    const found = data.activities.flatMap((activity, index) => (activity[1] === place ? [index] : []));
    this.chosen = again ? null : new Set(found);
    row.classList.toggle("chosen", !again);
    document.querySelectorAll("td.place button").forEach((button) => button.setAttribute("aria-pressed", String(button.closest("tr").classList.contains("chosen"))));
    this.drawLater();
  }
}

// Places in the tables become buttons that point them out in the timeline.
function linkPlaces(timeline) {
  const places = new Set(data.activities.map((activity) => activity[1]));
  document.querySelectorAll("td.place").forEach((cell) => {
    const place = cell.textContent;
    if (!places.has(place)) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = place;
    button.title = "point out in the timeline";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => timeline.choose(place, cell.parentElement));
    cell.replaceChildren(button);
  });
}

const timelineSection = document.getElementById("timeline");
if (timelineSection) linkPlaces(new Timeline(timelineSection));
