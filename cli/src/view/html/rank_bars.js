// One stacked bar per rank: its time in categories, from the bottom in the order of the legend.

function drawRankBars(canvas) {
  const colours = theme();
  const [width, height] = [canvas.clientWidth, 220];
  const context = prepareCanvas(canvas, width, height);
  const area = { left: 58, right: width - 4, top: 8, bottom: height - 22 };
  const longest = Math.max(1, ...data.ranks.map((rank) => rank[1] - rank[0]));
  const perUnit = (area.bottom - area.top) / longest;
  drawScale(context, colours, area, longest);
  const pitch = (area.right - area.left) / data.ranks.length;
  const [gap, wide] = [pitch >= 4 ? Math.min(6, pitch / 4) : 0, Math.min(pitch, 46)];
  data.ranks.forEach((rank, index) => {
    const left = area.left + index * pitch + (pitch - wide) / 2;
    let base = area.bottom;
    rank.slice(2).forEach((time, category) => {
      context.fillStyle = colours.categories[category];
      // Half a pixel more hides seams between bars that touch.
      context.fillRect(left + gap / 2, base - time * perUnit, wide - gap + (gap ? 0 : 0.5), time * perUnit);
      base -= time * perUnit;
    });
  });
  drawRankNames(context, colours, area, pitch);
  return { area, pitch };
}

function drawScale(context, colours, area, longest) {
  const step = roundStep(longest, 5);
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let time = 0; time <= longest * 1.0001; time += step) {
    const y = area.bottom - (time / longest) * (area.bottom - area.top);
    context.fillStyle = colours.line;
    context.fillRect(area.left, Math.round(y), area.right - area.left, 1);
    context.fillStyle = colours.soft;
    context.fillText(spellPoint(time * data.unit, step * data.unit, longest * data.unit), area.left - 6, y);
  }
}

function drawRankNames(context, colours, area, pitch) {
  const every = roundStep(data.ranks.length, Math.min(data.ranks.length, (area.right - area.left) / 34));
  context.fillStyle = colours.soft;
  context.textAlign = "center";
  context.textBaseline = "top";
  for (let rank = 0; rank < data.ranks.length; rank += Math.max(1, Math.round(every))) {
    context.fillText(String(rank), area.left + (rank + 0.5) * pitch, area.bottom + 6);
  }
}

function describeRank(rank, colours) {
  const [begin, end, ...split] = data.ranks[rank];
  const lines = ["rank " + rank + ": " + spellTime((end - begin) * data.unit)];
  split.forEach((time, category) => {
    if (time === 0) return;
    const share = spellShare(time / Math.max(1, end - begin));
    const text = data.categories[category] + " " + spellTime(time * data.unit) + " (" + share + ")";
    lines.push([colours.categories[category], text]);
  });
  return lines;
}

function startRankBars(canvas) {
  let drawn;
  redrawWhenNeeded(canvas, () => { drawn = drawRankBars(canvas); });
  canvas.addEventListener("pointermove", (event) => {
    const rank = Math.floor((event.offsetX - drawn.area.left) / drawn.pitch);
    if (rank < 0 || rank >= data.ranks.length) return hideTip();
    showTip(event.clientX, event.clientY, describeRank(rank, theme()));
  });
  canvas.addEventListener("pointerleave", hideTip);
}

const rankCanvas = document.querySelector("#ranks canvas");
if (rankCanvas) startRankBars(rankCanvas);
