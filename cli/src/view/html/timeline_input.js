// What people do to the timeline: pointer, wheel, keys, buttons, and places chosen in the tables.

class TimelineInput {
  constructor(timeline, section) {
    this.timeline = timeline;
    this.plot = timeline.plot;
    this.drag = null;
    this.lastScroll = 0;
    this.listenToPlot();
    this.listenToOverview();
    this.listenToButtons(section);
    this.linkPlaces();
  }

  zoom(factor, at) {
    const { from, to } = this.timeline.view;
    const centre = at ?? (from + to) / 2;
    this.timeline.show(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  // All of the time, and every segment in its colour.
  showAll() {
    this.timeline.show(0, this.timeline.end);
    this.choosePlace(null);
  }

  move(share) {
    const shift = share * this.timeline.length;
    this.timeline.show(this.timeline.view.from + shift, this.timeline.view.to + shift);
  }

  timeAt(x) {
    const share = Math.max(0, Math.min(1, (x - GUTTER) / this.timeline.width));
    return this.timeline.view.from + share * this.timeline.length;
  }

  pointAt(event) {
    const box = this.plot.getBoundingClientRect();
    const y = event.clientY - box.top - this.plot.clientTop + this.plot.scrollTop;
    return { x: event.clientX - box.left, rank: Math.floor(y / this.timeline.rowHeight) };
  }

  listenToPlot() {
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.plot.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.plot.addEventListener("scroll", () => this.timeline.drawLater());
    this.plot.addEventListener("pointerdown", (event) => this.press(event));
    this.plot.addEventListener("pointermove", (event) => (this.drag ? this.drag(event) : this.hover(event)));
    this.plot.addEventListener("pointerup", () => this.release());
    this.plot.addEventListener("pointercancel", () => this.release());
    this.plot.addEventListener("pointerleave", hideTip);
    addEventListener("scroll", (event) => { this.lastScroll = event.timeStamp; hideTip(); });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = () => this.showAll();
    const actions = {
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6),
      ArrowLeft: () => this.move(-0.1), ArrowRight: () => this.move(0.1),
      ArrowUp: () => this.chooseRank(-1), ArrowDown: () => this.chooseRank(1),
      "[": () => this.chooseSegment(-1), "]": () => this.chooseSegment(1),
      0: all, Home: all,
      Escape: () => { this.timeline.cursor = null; this.choosePlace(null); },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  chooseRank(step) {
    const { timeline } = this;
    const old = timeline.cursor;
    const time = old?.time ?? (timeline.view.from + timeline.view.to) / 2;
    const rank = old ? Math.max(0, Math.min(timeline.ranks.length - 1, old.rank + step)) : 0;
    this.setCursor({ rank, index: segmentAt(timeline.ranks[rank], time), time });
  }

  chooseSegment(step) {
    const { timeline } = this;
    if (!timeline.cursor) return this.chooseRank(0);
    const { rank } = timeline.cursor;
    const last = timeline.ranks[rank].ends.length - 1;
    const index = Math.max(0, Math.min(last, timeline.cursor.index + step));
    if (last < 0) return;
    const { start, end } = timeline.segment(rank, index);
    this.setCursor({ rank, index, time: (start + end) / 2 });
  }

  // The view follows the cursor.
  setCursor(cursor) {
    const { timeline, plot } = this;
    timeline.cursor = cursor;
    const half = timeline.length / 2;
    if (cursor.time < timeline.view.from || cursor.time > timeline.view.to) timeline.show(cursor.time - half, cursor.time + half);
    const y = cursor.rank * timeline.rowHeight;
    const above = y < plot.scrollTop;
    if (above || y + timeline.rowHeight > plot.scrollTop + plot.clientHeight) plot.scrollTop = y - plot.clientHeight / 2;
    timeline.drawLater();
  }

  wheel(event) {
    const { x } = this.pointAt(event);
    // A page that is being scrolled past goes on scrolling; so does a wheel over the ranks' numbers.
    if (x < GUTTER || event.timeStamp - this.lastScroll < 250) return;
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const everything = this.timeline.length >= this.timeline.end;
    if (everything && (sideways || event.deltaY > 0)) return;
    event.preventDefault();
    hideTip();
    // Lines instead of pixels are what some mice report.
    const turn = (sideways ? event.deltaX || event.deltaY : event.deltaY) * (event.deltaMode === 1 ? 30 : 1);
    if (sideways) this.move(turn / 1500);
    else this.zoom(Math.exp(Math.max(-1, Math.min(1, turn / 300))), this.timeAt(x));
  }

  hover(event) {
    const { timeline } = this;
    const { x, rank } = this.pointAt(event);
    const row = timeline.ranks[rank];
    if (x < GUTTER || !row) return hideTip();
    const index = segmentAt(row, this.timeAt(x));
    if (index >= row.ends.length) return showTip(event.clientX, event.clientY, ["rank " + rank, "has ended"]);
    const lines = timeline.describe(rank, index);
    const shared = segmentAt(row, this.timeAt(x + 1)) - index + 1;
    if (shared > 3) lines.push("one of " + shared + " in this pixel: zoom in to tell them apart");
    showTip(event.clientX, event.clientY, lines);
  }

  press(event) {
    const { x } = this.pointAt(event);
    if (event.button !== 0 || x < GUTTER || x > GUTTER + this.timeline.width) return;
    this.plot.setPointerCapture(event.pointerId);
    hideTip();
    this.drag = event.shiftKey ? this.moving(x) : this.selecting(x);
  }

  moving(x) {
    const { from, to } = this.timeline.view;
    return (event) => {
      const shift = ((x - this.pointAt(event).x) / this.timeline.width) * (to - from);
      this.timeline.show(from + shift, to + shift);
    };
  }

  selecting(x) {
    return (event) => {
      const to = Math.max(GUTTER, Math.min(GUTTER + this.timeline.width, this.pointAt(event).x));
      this.timeline.selection = Math.abs(to - x) > 4 ? [x, to] : null;
      this.timeline.drawLater();
    };
  }

  release() {
    const stretch = this.timeline.selection?.map((x) => this.timeAt(x)).sort((a, b) => a - b);
    this.drag = this.timeline.selection = null;
    if (stretch) this.timeline.show(stretch[0], stretch[1]);
  }

  listenToOverview() {
    const { overview } = this.timeline;
    const centre = (event) => {
      const half = this.timeline.length / 2;
      const time = ((event.offsetX - GUTTER) / this.timeline.width) * this.timeline.end;
      this.timeline.show(time - half, time + half);
    };
    overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); centre(event); });
    overview.addEventListener("pointermove", (event) => { if (event.buttons) centre(event); });
  }

  listenToButtons(section) {
    const { timeline } = this;
    const rows = (factor) => { timeline.setRowHeight(timeline.rowHeight * factor); timeline.drawLater(); };
    const actions = {
      in: () => this.zoom(0.5), out: () => this.zoom(2), all: () => this.showAll(),
      section: () => timeline.show(timeline.section.from, timeline.section.to),
      taller: () => rows(2), flatter: () => rows(0.5),
      path: (event) => {
        timeline.showsPath = !timeline.showsPath;
        event.currentTarget.setAttribute("aria-pressed", String(timeline.showsPath));
        timeline.drawLater();
      },
    };
    section.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", actions[button.dataset.do]));
    section.querySelectorAll("[data-category]").forEach((button) => button.addEventListener("click", () => {
      const category = Number(button.dataset.category);
      if (!timeline.off.delete(category)) timeline.off.add(category);
      button.setAttribute("aria-pressed", String(!timeline.off.has(category)));
      timeline.drawLater();
    }));
  }

  // Places in the tables become buttons that point them out in the timeline.
  linkPlaces() {
    const places = new Set(data.activities.map((activity) => activity[1]));
    document.querySelectorAll("td.place").forEach((cell) => {
      const place = cell.textContent;
      if (!places.has(place)) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = place;
      button.title = "point out in the timeline";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        this.choosePlace(button.getAttribute("aria-pressed") === "true" ? null : place);
        this.plot.scrollIntoView({ block: "nearest" });
      });
      cell.replaceChildren(button);
    });
  }

  // Only segments at this place keep their colour; without a place all of them.
  choosePlace(place) {
    document.querySelectorAll("td.place button").forEach((button) => {
      const pressed = button.textContent === place;
      button.setAttribute("aria-pressed", String(pressed));
      button.closest("tr").classList.toggle("chosen", pressed);
    });
    const here = data.activities.flatMap((activity, index) => (activity[1] === place ? [index] : []));
    this.timeline.chosen = place === null ? null : { place, activities: new Set(here) };
    this.timeline.drawLater();
  }
}

const timelineSection = document.getElementById("timeline");
if (timelineSection) new TimelineInput(new Timeline(timelineSection), timelineSection);
