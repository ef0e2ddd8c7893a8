"use strict";
// Traces and layouts of the three kinds of figures. `page` holds what all figures share: `hidden`, a set of optimizers,
// and `highlighted`, the name of one or null.
const makePlots = (payload, page) => {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const narrow = (plot) => plot.clientWidth < 560;
  const short = (value) => (value === null ? "-" : String(Number(value.toPrecision(3))));
  const faded = (colour) => colour + "2e";
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const behind = (name) => page.highlighted !== null && page.highlighted !== name;
  const LETTERS = 24; // of a label at the end of a line

  function layout(plot, height) {
    const axis = {
      gridcolor: css("--rule"), linecolor: css("--muted"), zeroline: false, automargin: true, ticks: "outside",
      tickcolor: css("--muted"), title: { standoff: 8 },
    };
    return {
      height, margin: { l: narrow(plot) ? 46 : 60, r: 12, t: 14, b: 46 }, showlegend: false,
      paper_bgcolor: css("--paper"), plot_bgcolor: css("--paper"),
      font: { family: getComputedStyle(document.body).fontFamily, size: narrow(plot) ? 11 : 13, color: css("--ink") },
      hoverlabel: { bgcolor: css("--soft"), bordercolor: css("--rule"), font: { color: css("--ink"), size: 12 } },
      xaxis: { ...axis }, yaxis: { ...axis }, dragmode: narrow(plot) ? false : "zoom",
    };
  }

  // Corners of a step function, so that a filled band has the same steps as its line.
  function steps(x, y) {
    const xs = [], ys = [];
    for (let i = 0; i < x.length; i++) {
      if (i > 0) { xs.push(x[i]); ys.push(y[i - 1]); }
      xs.push(x[i]); ys.push(y[i]);
    }
    return [xs, ys];
  }

  function band(x, line, floor) {
    const known = x.map((_, i) => i).filter((i) => line.low[i] !== null && line.high[i] !== null);
    if (known.length < 2) return [];
    const at = known.map((i) => x[i]);
    const [highX, highY] = steps(at, known.map((i) => Math.max(line.high[i], floor)));
    const [lowX, lowY] = steps(at, known.map((i) => Math.max(line.low[i], floor)));
    return [{
      x: highX.concat(lowX.reverse()), y: highY.concat(lowY.reverse()), mode: "lines", line: { width: 0 },
      fill: "toself", fillcolor: faded(payload.styles[line.optimizer].colour), hoverinfo: "skip", type: "scatter",
    }];
  }

  // Ticks of a logarithmic axis: 1, 2, 5, 10 on a short one, powers of ten on a long one.
  function ticks(values) {
    const known = values.filter((value) => value !== null && value > 0);
    if (!known.length) return undefined;
    const [low, high] = [Math.min, Math.max].map((pick) => known.reduce((a, b) => pick(a, b)));
    const decades = Math.log10(high / low);
    return decades > 3 ? Math.ceil(decades / 8) : "D2";
  }

  // Ends of an axis that shows all values, in the axis' own units (logarithms on a logarithmic one).
  function extent(values, log) {
    const known = values.filter((value) => value !== null && (!log || value > 0)).map((value) => (log ? Math.log10(value) : value));
    if (!known.length) return undefined;
    const [low, high] = [Math.min, Math.max].map((pick) => known.reduce((a, b) => pick(a, b)));
    const room = 0.04 * (high - low) || 0.5;
    return [low - room, high + room];
  }

  // Names at the ends of the lines, moved apart where they would overlap, each joined to its line. `range` is that of
  // the y axis, `last` the rightmost x that is shown.
  function endLabels(plot, made, shown, x, range, last) {
    if (!range) return {};
    const { height, margin, yaxis } = made;
    const room = height - margin.t - margin.b - 8;
    const to = x.reduce((found, value, i) => (value <= last ? i : found), 0);
    const ends = shown.map((line) => {
      const known = line.y.slice(0, to + 1).filter((value) => value !== null);
      const value = known.length ? known[known.length - 1] : null;
      const scaled = value === null ? NaN : yaxis.type === "log" ? Math.log10(Math.max(value, 10 ** range[0])) : value;
      return { name: line.optimizer, end: room * (scaled - range[0]) / (range[1] - range[0]) };
    }).filter(({ end }) => end >= -1 && end <= room + 1).sort((a, b) => b.end - a.end);
    const gap = Math.min(narrow(plot) ? 12 : 14, room / Math.max(ends.length, 1));
    ends.forEach((each, i) => { each.at = Math.min(each.end, i ? ends[i - 1].at - gap : room); });
    for (let i = ends.length - 1; i >= 0; i--) {
      ends[i].at = Math.max(ends[i].at, i < ends.length - 1 ? ends[i + 1].at + gap : 0);
    }
    const width = plot.clientWidth - margin.l - margin.r;
    const colour = (name) => payload.styles[name].colour;
    return {
      annotations: ends.map(({ name, at }) => ({
        name, text: escaped(name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name), x: 1, y: at / room,
        xref: "paper", yref: "paper", xanchor: "left", yanchor: "middle", xshift: 12, showarrow: false,
        captureevents: true, opacity: behind(name) ? 0.5 : 1, font: { color: colour(name), size: Math.min(gap, narrow(plot) ? 10 : 12) },
      })),
      shapes: ends.map(({ name, end, at }) => ({
        type: "line", xref: "paper", yref: "paper", x0: 1, y0: end / room, x1: 1 + 10 / width, y1: at / room,
        line: { color: colour(name), width: 1 }, opacity: behind(name) ? 0.3 : 0.7,
      })),
    };
  }

  function lines(plot, view, state) {
    const logX = state.logX ?? view.log_x, logY = state.logY ?? view.log_y;
    const shown = view.lines.filter((line) => !page.hidden.has(line.optimizer));
    shown.sort((a, b) => (a.optimizer === page.highlighted) - (b.optimizer === page.highlighted));
    const positive = shown.flatMap((line) => line.y.filter((value) => value !== null && value > 0));
    const floor = logY && positive.length ? positive.reduce((a, b) => Math.min(a, b)) : -Infinity;
    const banded = state.band ? shown.filter((line) => !behind(line.optimizer)) : [];
    const traces = banded.flatMap((line) => band(view.x, line, floor));
    for (const line of shown) {
      const { colour, dash } = payload.styles[line.optimizer];
      const width = page.highlighted === null ? 2.2 : behind(line.optimizer) ? 1.4 : 4;
      traces.push({
        type: "scatter", mode: "lines", name: line.optimizer, x: view.x, opacity: behind(line.optimizer) ? 0.45 : 1,
        y: line.y.map((value) => (value === null ? null : Math.max(value, floor))),
        line: { color: colour, dash, width, shape: "hv" },
        customdata: line.y.map((value, i) => `${short(value)} [${short(line.low[i])}, ${short(line.high[i])}]`),
        hovertemplate: narrow(plot) ? "%{fullData.name}<br>%{customdata}<extra></extra>" : "%{customdata}",
      });
    }
    const made = layout(plot, narrow(plot) ? 320 : 400);
    made.hovermode = narrow(plot) ? "closest" : "x unified";
    const longest = shown.reduce((most, line) => Math.max(most, Math.min(line.optimizer.length, LETTERS)), 0);
    made.margin.r = 18 + (narrow(plot) ? 5.6 : 7) * longest;
    Object.assign(made.xaxis, { type: logX ? "log" : "linear", title: { text: view.x_title }, exponentformat: "power", hoverformat: ".4~r" });
    Object.assign(made.yaxis, { type: logY ? "log" : "linear", title: { text: view.y_title }, exponentformat: "power" });
    if (logX) made.xaxis.dtick = ticks(view.x);
    if (logY) made.yaxis.dtick = ticks(positive);
    made.yaxis.range = extent(traces.flatMap((trace) => trace.y), logY);
    const labelled = (range, last) => endLabels(plot, made, shown, view.x, range, last);
    Object.assign(made, labelled(made.yaxis.range, Infinity));
    return [traces, made, labelled];
  }

  function dots(plot, view) {
    const rows = view.names.map((_, i) => i).filter((i) => !page.hidden.has(view.names[i]));
    const index = new Map(rows.map((row, i) => [row, i]));
    const traces = rows.map((row) => {
      const value = view.value[row], whiskers = view.low[row] !== null, name = view.names[row];
      const range = whiskers ? ` [${short(view.low[row])}, ${short(view.high[row])}]` : "";
      return {
        type: "scatter", mode: "markers+text", x: [value], y: [index.get(row)], name, cliponaxis: false,
        marker: { color: payload.styles[name].colour, size: name === page.highlighted ? 16 : 11 },
        opacity: behind(name) ? 0.5 : 1, text: whiskers ? "" : short(value), textposition: "middle right",
        error_x: whiskers ? {
          type: "data", symmetric: false, array: [view.high[row] - value], arrayminus: [value - view.low[row]],
          color: payload.styles[name].colour, thickness: 2, width: 4,
        } : undefined,
        hovertemplate: `${escaped(name)}: ${short(value)}${range}<extra></extra>`,
      };
    });
    const ruled = view.ruler !== null;
    const made = layout(plot, 28 * (rows.length + (ruled ? 1 : 0)) + 80);
    made.hovermode = "closest";
    Object.assign(made.xaxis, { type: view.log_x ? "log" : "linear", title: { text: view.x_title } });
    if (view.log_x) made.xaxis.dtick = narrow(plot) ? 1 : "D2";
    Object.assign(made.yaxis, {
      tickvals: rows.map((_, i) => i), ticktext: rows.map((row) => title(view.names[row])), ticks: "",
      range: [rows.length - 0.5, ruled ? -1.5 : -0.6],
    });
    if (ruled) ruler(view, index, made);
    return [traces, made];
  }

  const title = (name) => (name === page.highlighted ? `<b>${escaped(name)}</b>` : escaped(name));

  // The critical difference from the best rank on, and a bar on the right for each group that does not differ.
  function ruler(view, index, made) {
    const best = view.value[0], worst = view.value[view.value.length - 1];
    const line = (x0, y0, x1, y1, width) => ({ type: "line", x0, y0, x1, y1, line: { color: css("--ink"), width } });
    const end = best + view.ruler, tick = 0.15, step = 0.045 * Math.max(worst - best, 1);
    made.shapes = [
      line(best, -0.9, end, -0.9, 1.5), line(best, -0.9 - tick, best, -0.9 + tick, 1.5),
      line(end, -0.9 - tick, end, -0.9 + tick, 1.5),
    ];
    made.annotations = [{
      x: end, y: -0.9, text: `CD = ${short(view.ruler)}`, showarrow: false, xanchor: "left", xshift: 6,
    }];
    let right = Math.max(end + 4 * step, worst + 4 * step);
    view.bars.forEach(([first, last]) => {
      const joined = [...index.keys()].filter((row) => row >= first && row <= last).map((row) => index.get(row));
      if (joined.length < 2) return;
      right = Math.max(right, worst + 4 * step);
      made.shapes.push(line(right, Math.min(...joined) - 0.2, right, Math.max(...joined) + 0.2, 5));
      right += step;
    });
    made.xaxis.range = [Math.max(1, best) - 2 * step, right + step];
  }

  const LEVELS = [0.001, 0.01, 0.05];
  const level = (p) => (p === null ? null : LEVELS.filter((bound) => p >= bound).length);

  function heat(plot, view) {
    const rows = view.names.map((_, i) => i).filter((i) => !page.hidden.has(view.names[i]));
    const at = rows.map((_, i) => i), names = rows.map((row) => view.names[row]);
    const pick = (matrix) => rows.map((row) => rows.map((column) => matrix[row][column]));
    const p = pick(view.p), n = rows.length;
    const colours = ["--p1", "--p2", "--p3", "--p4"].map(css);
    const scale = colours.flatMap((colour, i) => [[i / 4, colour], [(i + 1) / 4, colour]]);
    const trace = {
      type: "heatmap", x: at, y: at, z: p.map((row) => row.map(level)), zmin: -0.5, zmax: 3.5, colorscale: scale,
      showscale: false, xgap: 2, ygap: 2, text: pick(view.notes), hovertemplate: "%{text}<extra></extra>", hoverongaps: false,
    };
    const size = Math.min(plot.clientWidth, 190 + 58 * n, 760);
    const made = layout(plot, Math.max(260, size * (narrow(plot) ? 1.02 : 0.78)));
    made.width = size;
    made.hovermode = "closest";
    const named = { tickvals: at, ticktext: names.map(title), showgrid: false, ticks: "" };
    Object.assign(made.xaxis, { ...named, title: { text: view.x_title, standoff: 8 }, tickangle: -40 });
    Object.assign(made.yaxis, { ...named, title: { text: view.y_title, standoff: 8 }, autorange: "reversed" });
    if (!narrow(plot) && n <= 13) {
      made.annotations = p.flatMap((row, i) => row.map((value, j) => (value === null ? null : {
        x: j, y: i, showarrow: false, text: value < 0.001 ? "&lt;.001" : String(value).replace(/^0\./, "."),
        font: { size: 11, color: css(level(value) === 0 ? "--on-p1" : "--on-p") },
      }))).filter(Boolean);
    }
    return [[trace], made];
  }

  return { lines, dots, heat, narrow };
};
