"use strict";
// Draws the figures from the payload. A figure's state is the option of each of its choices, whether its axes are
// logarithmic (null: as the view starts out) and whether bands are shown; optimizers are hidden on the whole page.
(() => {
  const payload = JSON.parse(document.getElementById("payload").textContent);
  const hidden = new Set();
  const drawn = new Map();
  const config = (plot) => ({
    displaylogo: false, responsive: true, showTips: false, displayModeBar: narrow(plot) ? false : "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  });
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const narrow = (plot) => plot.clientWidth < 560;
  const short = (value) => (value === null ? "-" : String(Number(value.toPrecision(3))));
  const faded = (colour) => colour + "2e";

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

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

  function lines(plot, view, state) {
    const logX = state.logX ?? view.log_x, logY = state.logY ?? view.log_y;
    const shown = view.lines.filter((line) => !hidden.has(line.optimizer));
    const positive = shown.flatMap((line) => line.y.filter((value) => value !== null && value > 0));
    const floor = logY && positive.length ? positive.reduce((a, b) => Math.min(a, b)) : -Infinity;
    const traces = state.band ? shown.flatMap((line) => band(view.x, line, floor)) : [];
    for (const line of shown) {
      const { colour, dash } = payload.styles[line.optimizer];
      traces.push({
        type: "scatter", mode: "lines", name: line.optimizer, x: view.x,
        y: line.y.map((value) => (value === null ? null : Math.max(value, floor))),
        line: { color: colour, dash, width: 2.2, shape: "hv" },
        customdata: line.y.map((value, i) => `${short(value)} [${short(line.low[i])}, ${short(line.high[i])}]`),
        hovertemplate: narrow(plot) ? "%{fullData.name}<br>%{customdata}<extra></extra>" : "%{customdata}",
      });
    }
    const made = layout(plot, narrow(plot) ? 320 : 400);
    made.hovermode = narrow(plot) ? "closest" : "x unified";
    Object.assign(made.xaxis, { type: logX ? "log" : "linear", title: { text: view.x_title }, exponentformat: "power", hoverformat: ".4~r" });
    Object.assign(made.yaxis, { type: logY ? "log" : "linear", title: { text: view.y_title }, exponentformat: "power" });
    if (logX) made.xaxis.dtick = ticks(view.x);
    if (logY) made.yaxis.dtick = ticks(positive);
    return [traces, made];
  }

  function dots(plot, view) {
    const rows = view.names.map((_, i) => i).filter((i) => !hidden.has(view.names[i]));
    const index = new Map(rows.map((row, i) => [row, i]));
    const traces = rows.map((row) => {
      const value = view.value[row], whiskers = view.low[row] !== null;
      const range = whiskers ? ` [${short(view.low[row])}, ${short(view.high[row])}]` : "";
      return {
        type: "scatter", mode: "markers+text", x: [value], y: [index.get(row)], name: view.names[row], cliponaxis: false,
        marker: { color: payload.styles[view.names[row]].colour, size: 11 }, text: whiskers ? "" : short(value),
        textposition: "middle right",
        error_x: whiskers ? {
          type: "data", symmetric: false, array: [view.high[row] - value], arrayminus: [value - view.low[row]],
          color: payload.styles[view.names[row]].colour, thickness: 2, width: 4,
        } : undefined,
        hovertemplate: `${view.names[row]}: ${short(value)}${range}<extra></extra>`,
      };
    });
    const ruled = view.ruler !== null;
    const made = layout(plot, 28 * (rows.length + (ruled ? 1 : 0)) + 80);
    made.hovermode = "closest";
    Object.assign(made.xaxis, { type: view.log_x ? "log" : "linear", title: { text: view.x_title } });
    if (view.log_x) made.xaxis.dtick = narrow(plot) ? 1 : "D2";
    Object.assign(made.yaxis, {
      tickvals: rows.map((_, i) => i), ticktext: rows.map((row) => view.names[row]), ticks: "",
      range: [rows.length - 0.5, ruled ? -1.5 : -0.6],
    });
    if (ruled) ruler(view, index, made);
    return [traces, made];
  }

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
    const rows = view.names.map((_, i) => i).filter((i) => !hidden.has(view.names[i]));
    const names = rows.map((row) => view.names[row]);
    const pick = (matrix) => rows.map((row) => rows.map((column) => matrix[row][column]));
    const p = pick(view.p), n = rows.length;
    const colours = ["--p1", "--p2", "--p3", "--p4"].map(css);
    const scale = colours.flatMap((colour, i) => [[i / 4, colour], [(i + 1) / 4, colour]]);
    const trace = {
      type: "heatmap", x: names, y: names, z: p.map((row) => row.map(level)), zmin: -0.5, zmax: 3.5, colorscale: scale,
      showscale: false, xgap: 2, ygap: 2, text: pick(view.notes), hovertemplate: "%{text}<extra></extra>", hoverongaps: false,
    };
    const size = Math.min(plot.clientWidth, 190 + 58 * n, 760);
    const made = layout(plot, Math.max(260, size * (narrow(plot) ? 1.02 : 0.78)));
    made.width = size;
    made.hovermode = "closest";
    Object.assign(made.xaxis, { title: { text: view.x_title, standoff: 8 }, tickangle: -40, showgrid: false, ticks: "" });
    Object.assign(made.yaxis, { title: { text: view.y_title, standoff: 8 }, autorange: "reversed", showgrid: false, ticks: "" });
    if (!narrow(plot) && n <= 13) {
      made.annotations = p.flatMap((row, i) => row.map((value, j) => (value === null ? null : {
        x: names[j], y: names[i], showarrow: false, text: value < 0.001 ? "&lt;.001" : String(value).replace(/^0\./, "."),
        font: { size: 11, color: css(level(value) === 0 ? "--on-p1" : "--on-p") },
      }))).filter(Boolean);
    }
    return [[trace], made];
  }

  const kinds = { lines, dots, heat };

  function draw(figure) {
    const { plot, about, state } = figure;
    const view = about.views[about.choices.map((choice) => state.options[choice.name]).join("|")];
    const [traces, made] = kinds[about.kind](plot, view, state);
    figure.boxes.forEach(({ box, value }) => { box.checked = value(view); });
    Plotly.react(plot, traces, made, config(plot));
    plot.dataset.drawn = "yes";
  }

  function choice(figure, { name, options }) {
    const { state } = figure;
    state.options[name] = options[0];
    if (options.length < 2) return [];
    const chosen = (option) => { state.options[name] = option; state.logX = state.logY = null; draw(figure); };
    if (name === "benchmark") {
      const select = element("select", { "aria-label": name, "data-choice": name });
      for (const option of options) select.append(element("option", { value: option }, option));
      select.addEventListener("change", () => chosen(select.value));
      return [select];
    }
    const buttons = options.map((option) => element("button", { type: "button", "aria-pressed": String(option === options[0]) }, option));
    buttons.forEach((button, i) => button.addEventListener("click", () => {
      buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      chosen(options[i]);
    }));
    return [element("span", { class: "segments", role: "group", "aria-label": name, "data-choice": name }, ...buttons)];
  }

  function box(figure, label, value, set) {
    const input = element("input", { type: "checkbox", "data-box": label });
    input.addEventListener("change", () => { set(input.checked); draw(figure); });
    figure.boxes.push({ box: input, value });
    return element("label", {}, input, label);
  }

  function start(holder) {
    if (drawn.has(holder)) return;
    const about = payload.figures[holder.id];
    const plot = holder.querySelector(".plot"), controls = holder.querySelector(".controls");
    const figure = { plot, about, boxes: [], state: { options: {}, logX: null, logY: null, band: false } };
    const { state } = figure;
    drawn.set(holder, figure);
    plot.dataset.kind = about.kind;
    about.choices.forEach((each) => controls.append(...choice(figure, each)));
    if (about.kind === "lines") {
      state.band = Object.values(about.views)[0].lines.length <= 5;
      controls.append(box(figure, "log x", (view) => state.logX ?? view.log_x, (on) => { state.logX = on; }));
      if (about.name.endsWith("regret")) {
        controls.append(box(figure, "log y", (view) => state.logY ?? view.log_y, (on) => { state.logY = on; }));
      }
      controls.append(box(figure, about.band, () => state.band, (on) => { state.band = on; }));
    }
    if (about.kind === "heat") {
      ["p < .001", "< .01", "< .05", "larger"].forEach((text, i) => {
        controls.append(element("span", { class: "key" }, element("i", { style: `background:var(--p${i + 1})` }), text));
      });
    }
    draw(figure);
  }

  const redraw = () => drawn.forEach((figure) => draw(figure));
  const holders = [...document.querySelectorAll("[data-figure]")];
  const chips = [...document.querySelectorAll(".chip")];
  chips.forEach((chip) => chip.addEventListener("click", () => {
    const name = chip.dataset.optimizer;
    if (!hidden.delete(name)) hidden.add(name);
    chip.setAttribute("aria-pressed", String(!hidden.has(name)));
    redraw();
  }));
  document.querySelector("[data-show]").addEventListener("click", () => {
    hidden.clear();
    chips.forEach((chip) => chip.setAttribute("aria-pressed", "true"));
    redraw();
  });
  const observer = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (entry.isIntersecting) { observer.unobserve(entry.target); start(entry.target); }
  }), { rootMargin: "800px" });
  holders.forEach((holder) => observer.observe(holder));
  addEventListener("beforeprint", () => holders.forEach(start));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
