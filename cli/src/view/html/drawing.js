// What both drawings of an estimate's page share: its data, times in words, colours, canvases that
// are sharp on any screen, and the box that follows the pointer.

const data = JSON.parse(document.getElementById("data").textContent);

const UNITS = [["ps", 1], ["ns", 1e3], ["us", 1e6], ["ms", 1e9], ["s", 1e12]];

// As mpiete prints times: four significant digits and the unit that fits.
function spellTime(picoseconds) {
  const magnitude = Math.abs(picoseconds);
  if (magnitude === 0) return "0 s";
  const [unit, size] = UNITS.findLast((entry) => magnitude >= entry[1]) ?? UNITS[0];
  const value = picoseconds / size;
  const decimals = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return value.toFixed(decimals) + " " + unit;
}

function spellShare(share) {
  return share === 0 ? "0 %" : share < 0.0005 ? "<0.1 %" : (share * 100).toFixed(1) + " %";
}

// A step of 1, 2 or 5 times a power of ten that divides `range` into at most `count` parts.
function roundStep(range, count) {
  const rough = range / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
}

// A point in time with the digits that tell it from its neighbours a `step` away; the unit is that
// of `largest`, so that all labels of an axis share it.
function spellPoint(picoseconds, step, largest) {
  const [unit, size] = UNITS.findLast((entry) => largest >= entry[1]) ?? UNITS[0];
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10((step / size) * 1.001))));
  return (picoseconds / size).toFixed(decimals) + " " + unit;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function theme() {
  const categories = data.categories.map((_, index) => colour("--c" + index));
  const names = ["ink", "soft", "line", "faint", "card", "dim", "band", "accent"];
  return { categories, ...Object.fromEntries(names.map((name) => [name, colour("--" + name)])) };
}

// Sizes a canvas to its place on the page and gives a context that draws in CSS pixels.
function prepareCanvas(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  return context;
}

// Calls `draw` when the page's width or its light or dark mode changes, and once at first.
function redrawWhenNeeded(element, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    draw();
  }).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);

// Lines are text, or [colour, text] for one with a coloured mark.
function showTip(x, y, lines) {
  tip.replaceChildren(...lines.map((line, index) => {
    const [mark, text] = Array.isArray(line) ? line : [null, line];
    const row = document.createElement("div");
    if (mark) {
      const box = document.createElement("i");
      box.style.background = mark;
      row.append(box);
    }
    const words = document.createElement(index === 0 ? "b" : "span");
    words.textContent = text;
    row.append(words);
    return row;
  }));
  tip.hidden = false;
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = Math.max(4, Math.min(x + 16, innerWidth - width - 8)) + "px";
  tip.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18) + "px";
}

function hideTip() {
  tip.hidden = true;
}
