"use strict";
// Controls of the page. A figure's state is the option of each of its choices, whether its axes are logarithmic (null:
// as the view starts out) and whether bands are shown; optimizers are hidden and highlighted on the whole page.
(() => {
  const held = (id) => unpack.text(document.getElementById(id).textContent);
  const payload = JSON.parse(held("payload"));
  const page = { hidden: new Set(), highlighted: payload.highlight };
  const kinds = makePlots(payload, page);
  const drawn = new Map();
  const PRINTED = { width: 680, height: 340 }; // pixels of a figure on paper, at most: two of them fit on a page
  const config = (plot) => ({
    displaylogo: false, responsive: true, showTips: false, displayModeBar: kinds.narrow(plot) ? false : "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  });

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  document.head.append(element("script", {}, held("plotly")));

  function draw(figure) {
    const { plot, about, state } = figure;
    const view = about.views[about.choices.map((choice) => state.options[choice.name]).join("|")];
    const [traces, made, labelled] = kinds[about.kind](plot, view, state);
    figure.labelled = labelled;
    figure.boxes.forEach(({ box, value }) => { box.checked = value(view); });
    Plotly.react(plot, traces, made, config(plot));
    plot.dataset.drawn = "yes";
  }

  // After zooming, names stand at the ends of what is shown of the lines.
  function relabel(figure, change) {
    if (!figure.labelled || !Object.keys(change).some((key) => /^[xy]axis\.(range|autorange)/.test(key))) return;
    const { xaxis, yaxis } = figure.plot.layout;
    const last = xaxis.type === "log" ? 10 ** xaxis.range[1] : xaxis.range[1];
    Plotly.relayout(figure.plot, figure.labelled(yaxis.range, last * (1 + 1e-9)));
  }

  function choice(figure, { name, options }) {
    const { state } = figure;
    state.options[name] = options[0];
    if (options.length < 2) return [];
    const chosen = (option) => { state.options[name] = option; state.logX = state.logY = null; draw(figure); };
    if (name !== "over") {
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
      if (Object.values(about.views)[0].log_y) {
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
    plot.on("plotly_relayout", (change) => relabel(figure, change));
    plot.on("plotly_clickannotation", ({ annotation }) => { if (annotation.name) highlight(annotation.name); });
  }

  const redraw = () => drawn.forEach((figure) => draw(figure));
  const holders = [...document.querySelectorAll("[data-figure]")];
  const chips = [...document.querySelectorAll("[data-optimizer]")];
  const stars = [...document.querySelectorAll("[data-highlight]")];

  function mark() {
    chips.forEach((chip) => {
      const off = page.hidden.has(chip.dataset.optimizer);
      chip.setAttribute("aria-pressed", String(!off));
      chip.parentElement.classList.toggle("off", off);
    });
    stars.forEach((star) => star.setAttribute("aria-pressed", String(star.dataset.highlight === page.highlighted)));
    document.querySelectorAll("[data-row]").forEach((row) => row.classList.toggle("mine", row.dataset.row === page.highlighted));
  }

  function highlight(name) {
    page.highlighted = page.highlighted === name ? null : name;
    page.hidden.delete(page.highlighted);
    mark();
    redraw();
  }

  chips.forEach((chip) => chip.addEventListener("click", () => {
    const name = chip.dataset.optimizer;
    if (!page.hidden.delete(name)) page.hidden.add(name);
    mark();
    redraw();
  }));
  stars.forEach((star) => star.addEventListener("click", () => highlight(star.dataset.highlight)));
  document.querySelector("[data-show]").addEventListener("click", () => {
    page.hidden.clear();
    page.highlighted = payload.highlight;
    mark();
    redraw();
  });

  // Files lie in the page too, so that it is complete without the folders beside it.
  let files = null;
  const TYPES = { csv: "text/csv", tex: "text/x-tex", toml: "text/plain", pdf: "application/pdf", svg: "image/svg+xml" };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-file]");
    if (link === null) return;
    event.preventDefault();
    files ??= JSON.parse(document.getElementById("files").textContent);
    const path = link.getAttribute("href");
    const address = URL.createObjectURL(new Blob([unpack.file(files[path])], { type: TYPES[path.split(".").pop()] }));
    element("a", { href: address, download: path.replaceAll("/", "-") }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  });

  const observer = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (entry.isIntersecting) { observer.unobserve(entry.target); start(entry.target); }
  }), { rootMargin: "800px" });
  holders.forEach((holder) => observer.observe(holder));
  addEventListener("beforeprint", () => {
    holders.forEach(start);
    drawn.forEach(({ plot, about }) => {
      const width = Math.min(PRINTED.width, plot.layout.width ?? plot.clientWidth);
      Plotly.relayout(plot, about.kind === "lines" ? { width, height: PRINTED.height } : { width });
    });
  });
  addEventListener("afterprint", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  mark();
})();
