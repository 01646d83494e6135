// Draws the timeline, a Gantt chart: ranks as rows, time to the right. timeline_input.js handles the input that changes it.

const GUTTER = 46; // CSS pixels left of the rows, for the ranks' numbers
const OVERVIEW_HEIGHT = 36;
const PLOT_HEIGHT = 640; // as in the style
const SHORTEST_VIEW = 20; // ticks

class Timeline {
  constructor(section) {
    this.plot = section.querySelector(".plot");
    this.rows = section.querySelector(".rows");
    this.canvas = this.rows.querySelector("canvas");
    this.overview = section.querySelector(".overview");
    this.axis = section.querySelector(".axis");
    this.range = section.querySelector(".range");
    this.ranks = data.timeline.map(readRank);
    this.end = Math.max(1, ...this.ranks.map((rank) => rank.ends.at(-1) ?? 0));
    this.bounds = data.ranks.map(([begin, end]) => [begin, end].map((time) => (time * data.unit) / data.tick));
    this.section = section.querySelector('[data-do="section"]') ? this.wholeSection() : null;
    this.view = this.section ?? { from: 0, to: this.end };
    this.path = data.path; // stays of the critical path, in the order of time
    this.showsPath = true;
    this.off = new Set(); // categories that are switched off
    this.chosen = null; // { place, activities } pointed out in the tables, if any
    this.cursor = null; // the keyboard's { rank, index of segment, time }
    this.selection = null; // the stretch being dragged, in CSS pixels
    this.setRowHeight(Math.min(26, PLOT_HEIGHT / this.ranks.length));
    redrawWhenNeeded(this.plot, () => { this.colours = null; this.draw(); });
  }

  get width() { return Math.max(1, this.plot.clientWidth - GUTTER); }
  get length() { return this.view.to - this.view.from; }

  // From the first rank's entry to the last one's exit, where the section is not the whole run.
  wholeSection() {
    const [begins, ends] = [0, 1].map((side) => this.bounds.map((bound) => bound[side]));
    return { from: Math.min(...begins), to: Math.max(...ends) };
  }

  // Whole pixels, so that all rows look the same.
  setRowHeight(height) {
    const middle = (this.plot.scrollTop + this.plot.clientHeight / 2) / (this.rowHeight ?? 1);
    this.rowHeight = Math.max(1, Math.min(26, Math.floor(height)));
    this.rows.style.height = this.ranks.length * this.rowHeight + "px";
    this.plot.scrollTop = middle * this.rowHeight - this.plot.clientHeight / 2;
  }

  show(from, to) {
    const length = Math.min(this.end, Math.max(SHORTEST_VIEW, to - from));
    const start = Math.max(0, Math.min(from, this.end - length));
    this.view = { from: start, to: start + length };
    this.drawLater();
  }

  drawLater() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    if (!this.colours) {
      this.colours = theme();
      this.packed = [...this.colours.categories, this.colours.dim, this.colours.card].map(packColour);
      this.columns = null;
    }
    // By kind of segment: its category, or switched off.
    this.paintOf = Uint8Array.from(data.kinds, ([category, activity]) =>
      this.off.has(category) || (this.chosen && !this.chosen.activities.has(activity)) ? HIDDEN : category);
    this.drawRows();
    this.drawAxis();
    this.drawOverview();
    this.range.textContent = this.cursorWords() ?? this.rangeWords();
  }

  // Ranks that are visible, with the offset of the topmost.
  visible(high) {
    const top = this.plot.scrollTop;
    const last = Math.min(this.ranks.length, Math.ceil((top + high) / this.rowHeight));
    return { top, first: Math.floor(top / this.rowHeight), last };
  }

  drawRows() {
    const high = Math.min(this.plot.clientHeight, this.ranks.length * this.rowHeight);
    const context = prepareCanvas(this.canvas, this.plot.clientWidth, high);
    this.canvas.style.width = this.plot.clientWidth + "px";
    const rows = this.visible(high);
    const scale = window.devicePixelRatio || 1;
    context.putImageData(this.paintRows(rows, scale), Math.round(GUTTER * scale), 0);
    this.drawNames(context, rows);
    this.drawLabels(context, rows);
    this.drawBounds(context, rows);
    if (this.showsPath) this.drawPath(context, rows.top, high);
    this.drawSelection(context, high);
    this.drawCursor(context, rows.top);
  }

  paintRows({ top, first, last }, scale) {
    const image = new ImageData(Math.max(1, Math.round(this.width * scale)), this.canvas.height);
    const pixels = new Uint32Array(image.data.buffer).fill(this.packed[NOTHING]);
    const gap = this.rowHeight >= 8 ? 2 : this.rowHeight >= 5 ? 1 : 0;
    for (let rank = first; rank < last; rank++) {
      const y = rank * this.rowHeight - top;
      const bottom = Math.min(image.height, Math.round((y + this.rowHeight - gap) * scale));
      this.paintRow(this.ranks[rank], pixels, image.width, Math.max(0, Math.round(y * scale)), bottom);
    }
    return image;
  }

  paintRow(rank, pixels, wide, top, bottom) {
    const packed = this.packed;
    const run = (from, to, paint) => {
      for (let y = top; y < bottom; y++) pixels.fill(packed[paint], y * wide + from, y * wide + to);
    };
    mergePixels(rank, this.view, wide, this.paintOf, run, (x, shares) => {
      let [filled, y] = [0, bottom];
      for (let paint = 0; paint <= HIDDEN; paint++) {
        if (shares[paint] === 0) continue;
        filled += shares[paint];
        const upTo = bottom - Math.round(Math.min(1, filled) * (bottom - top));
        while (y > upTo) pixels[--y * wide + x] = packed[paint];
      }
    });
  }

  drawNames(context, { top, first, last }) {
    const every = this.rowHeight >= 15 ? 1 : Math.max(1, roundStep(15 / this.rowHeight, 1));
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let rank = first; rank < last; rank++) {
      if (rank % every !== 0) continue;
      context.fillStyle = this.cursor?.rank === rank ? this.colours.accent : this.colours.soft;
      context.fillText(String(rank), GUTTER - 8, Math.max(7, (rank + 0.5) * this.rowHeight - top));
    }
  }

  // Borders and names of segments that are wide enough to carry them.
  drawLabels(context, { top, first, last }) {
    if (this.rowHeight < 15) return;
    const scale = this.width / this.length;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    for (let row = first; row < last; row++) {
      const rank = this.ranks[row];
      const begin = segmentAt(rank, this.view.from);
      const end = Math.min(rank.ends.length, segmentAt(rank, this.view.to) + 1);
      // Rows with more segments than can be told apart are left as they are.
      if (end - begin > this.width / 8) continue;
      for (let index = begin; index < end; index++) {
        const start = index > 0 ? rank.ends[index - 1] : 0;
        const left = Math.max(0, (start - this.view.from) * scale);
        const right = Math.min(this.width, (rank.ends[index] - this.view.from) * scale);
        this.drawLabel(context, row * this.rowHeight - top, left + GUTTER, right + GUTTER, rank.kinds[index]);
      }
    }
  }

  drawLabel(context, y, left, right, kind) {
    if (right - left < 4) return;
    context.fillStyle = this.colours.card;
    context.fillRect(right - 0.5, y, 1, this.rowHeight - 2);
    const [category, activity] = data.kinds[kind];
    if (activity < 0 || right - left < 60 || this.paintOf[kind] === HIDDEN) return;
    const [what, where] = data.activities[activity];
    const words = what.startsWith("MPI_") ? what + " " + where : where;
    if (context.measureText(words).width > right - left - 8) return;
    // Dark on the light colours of the scheme, white on the dark ones.
    context.fillStyle = [1, 4, 5].includes(category) ? "#14181d" : "#ffffff";
    context.fillText(words, left + 5, y + this.rowHeight / 2 - 1);
  }

  // Stays of the critical path that are in view, with the one before and the one after.
  pathInView() {
    const { from, to } = this.view;
    return this.path.filter((_, index) =>
      (this.path[index + 1]?.[2] ?? Infinity) >= from && (this.path[index - 1]?.[1] ?? 0) <= to);
  }

  // The critical path: along the rows while it stays on a rank, across them with a message. Where
  // there is room, a border keeps it apart from what is below; where there is none, it is thin.
  drawPath(context, top, high) {
    const x = (time) => GUTTER + ((time - this.view.from) / this.length) * this.width;
    const y = (rank) => (rank + 0.5) * this.rowHeight - top - (this.rowHeight >= 8 ? 1 : 0);
    const seen = this.pathInView();
    const line = new Path2D();
    for (const [rank, from, to] of seen) {
      line.lineTo(x(from), y(rank));
      line.lineTo(x(to), y(rank));
    }
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, this.width, high);
    context.clip();
    context.lineJoin = "round";
    const hasRoom = seen.length < this.width / 12;
    const strokes = hasRoom ? [[this.colours.card, 4.5], [this.colours.ink, 2.5]] : [[this.colours.ink, 1]];
    for (const [colour, width] of strokes) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke(line);
    }
    context.restore();
  }

  // Where each rank enters and leaves the section.
  drawBounds(context, { top, first, last }) {
    if (!this.section) return;
    context.fillStyle = this.colours.ink;
    for (let rank = first; rank < Math.min(last, this.bounds.length); rank++) {
      for (const time of this.bounds[rank]) {
        if (time < this.view.from || time > this.view.to) continue;
        const x = GUTTER + ((time - this.view.from) / this.length) * this.width;
        context.fillRect(Math.min(x, GUTTER + this.width - 1) - 1, rank * this.rowHeight - top, 2, this.rowHeight);
      }
    }
  }

  drawSelection(context, high) {
    if (!this.selection) return;
    const [from, to] = [...this.selection].sort((a, b) => a - b);
    context.globalAlpha = 0.3;
    context.fillStyle = this.colours.accent;
    context.fillRect(from, 0, to - from, high);
    context.globalAlpha = 1;
  }

  drawCursor(context, top) {
    const found = this.cursorSegment();
    if (!found) return;
    const place = (time) => GUTTER + Math.max(0, Math.min(1, (time - this.view.from) / this.length)) * this.width;
    const [left, right] = [place(found.start), place(found.end)];
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 2;
    context.strokeRect(left, this.cursor.rank * this.rowHeight - top, Math.max(2, right - left), Math.max(2, this.rowHeight - 2));
  }

  drawAxis() {
    const context = prepareCanvas(this.axis, this.axis.clientWidth, 24);
    const { from, to } = this.view;
    const step = roundStep(this.length, this.width / 110);
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = this.colours.soft;
    context.fillText("rank", GUTTER - 8, 8);
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const x = GUTTER + ((time - from) / this.length) * this.width;
      context.fillStyle = this.colours.line;
      context.fillRect(Math.round(x), 16, 1, 8);
      context.fillStyle = this.colours.soft;
      context.textAlign = x > GUTTER + this.width - 40 ? "right" : x < GUTTER + 40 ? "left" : "center";
      context.fillText(spellPoint(time * data.tick, step * data.tick, to * data.tick), x, 8);
    }
  }

  // Shares of all ranks' time by categories, over the whole run, with the view marked in it.
  drawOverview() {
    const context = prepareCanvas(this.overview, this.overview.clientWidth, OVERVIEW_HEIGHT);
    const wide = Math.round(this.width);
    if (this.columns?.width !== wide) this.columns = this.drawColumns(wide);
    context.drawImage(this.columns, GUTTER, 0);
    this.drawWindow(context);
  }

  drawColumns(wide) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [wide, OVERVIEW_HEIGHT];
    const context = canvas.getContext("2d");
    sumPixels(this.ranks, this.end, wide).forEach((shares, x) => {
      let y = OVERVIEW_HEIGHT;
      shares.forEach((share, category) => {
        if (share === 0) return;
        y -= share * OVERVIEW_HEIGHT;
        context.fillStyle = this.colours.categories[category];
        context.fillRect(x, y, 1, share * OVERVIEW_HEIGHT);
      });
    });
    return canvas;
  }

  drawWindow(context) {
    const [left, right] = [this.view.from, this.view.to].map((time) => GUTTER + (time / this.end) * this.width);
    if (right - left >= this.width - 1) return;
    context.globalAlpha = 0.65;
    context.fillStyle = this.colours.card;
    context.fillRect(GUTTER, 0, left - GUTTER, OVERVIEW_HEIGHT);
    context.fillRect(right, 0, GUTTER + this.width - right, OVERVIEW_HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 1.5;
    context.strokeRect(left, 0.75, Math.max(2, right - left), OVERVIEW_HEIGHT - 1.5);
  }

  segment(rank, index) {
    const { ends, kinds } = this.ranks[rank];
    const [category, activity] = data.kinds[kinds[index]];
    return { start: index > 0 ? ends[index - 1] : 0, end: ends[index], category, activity: data.activities[activity] };
  }

  // Lines about a segment: who, what, where, when.
  describe(rank, index) {
    const { start, end, category, activity } = this.segment(rank, index);
    const point = (time) => spellPoint(time * data.tick, ((end - start) / 20) * data.tick, time * data.tick);
    const inside = activity?.[2] ? " in " + activity[2] : "";
    return [
      "rank " + rank,
      [this.colours.categories[category], data.categories[category] + ", " + spellTime((end - start) * data.tick)],
      activity ? activity[0] + " " + activity[1] + inside : "several, merged",
      "from " + point(start) + " to " + point(end),
    ];
  }

  cursorSegment() {
    if (!this.cursor || this.cursor.index >= this.ranks[this.cursor.rank].ends.length) return null;
    return this.segment(this.cursor.rank, this.cursor.index);
  }

  cursorWords() {
    if (!this.cursorSegment()) return null;
    return this.describe(this.cursor.rank, this.cursor.index).map((line) => [line].flat().at(-1)).join("; ");
  }

  rangeWords() {
    const whole = spellTime(this.end * data.tick);
    const only = this.chosen ? "; in colour: " + this.chosen.place : "";
    if (this.length >= this.end) return "all of " + whole + only;
    const point = (time) => spellPoint(time * data.tick, (this.length / 100) * data.tick, time * data.tick);
    return spellTime(this.length * data.tick) + ", from " + point(this.view.from) + " to " + point(this.view.to) + " of " + whole + only;
  }
}
