// The picture of a counterexample: emitted, wanted and their difference, as three heat maps.

const SVG = "http://www.w3.org/2000/svg";
const CELL = 20;
const LARGEST_SCALE = 1.8;
const WIDE = 320;
const LARGEST_LISTED = 5;

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function figure(value) {
  return value === null ? "not finite" : String(Number(value.toPrecision(5)));
}

// The index of a place in a row-major shape.
function unravelled(place, shape) {
  const index = [];
  let rest = place;
  for (const extent of [...shape].reverse()) {
    index.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return index;
}

function cellsOf(grid) {
  const cells = [];
  grid.rows.forEach((row, i) => grid.columns.forEach((column, j) => {
    const at = i * grid.columns.length + j;
    const emitted = grid.emitted[at];
    const wanted = grid.wanted[at];
    const difference = emitted === null || wanted === null ? null : emitted - wanted;
    const index = [...unravelled(row, grid.shape.slice(0, grid.split)),
      ...unravelled(column, grid.shape.slice(grid.split))];
    cells.push({ i, j, emitted, wanted, difference, index: `[${index.join(", ")}]` });
  }));
  return cells;
}

function largest(cells, key) {
  return Math.max(...cells.map((cell) => Math.abs(cell[key] ?? 0)));
}

// Negative and positive part from the surface's own colour, so that dark and light both read.
function colour(value, scale) {
  if (value === null) return "var(--lost)";
  const share = scale > 0 ? Math.min(1, Math.abs(value) / scale) : 0;
  const end = value < 0 ? "var(--negative)" : "var(--positive)";
  return `color-mix(in oklab, ${end} ${(100 * share).toFixed(1)}%, var(--neutral))`;
}

function heatMap(title, grid, cells, key, scale, place, say) {
  const width = grid.columns.length * CELL;
  const height = grid.rows.length * CELL;
  const top = cells.reduce((a, b) => (Math.abs(b[key] ?? 0) > Math.abs(a[key] ?? 0) ? b : a));
  const said = `${title}: ${grid.rows.length} by ${grid.columns.length} values, largest ` +
    `${figure(top[key])} at ${top.index}`;
  const squares = cells.map((cell) => {
    const square = svg("rect", {
      x: cell.j * CELL, y: cell.i * CELL, width: CELL - 1, height: CELL - 1, rx: 2,
      style: `fill:${colour(cell[key], scale)}`,
      "data-index": cell.index, "data-value": cell[key],
    }, svg("title", {}, `${cell.index}: ${figure(cell[key])}`));
    if (cell.index === place) square.setAttribute("class", "place");
    if (cell === top) square.setAttribute("data-largest", "");
    square.addEventListener("pointerenter", () => say(cell));
    return square;
  });
  const picture = svg("svg", {
    viewBox: `-1 -1 ${width + 1} ${height + 1}`, role: "img", "aria-label": said,
    style: `max-width:${Math.max(width, Math.min(LARGEST_SCALE * width, WIDE))}px`,
  }, ...squares);
  const ends = element("div", { class: "legend" }, element("span", {}, figure(-scale)),
    element("i", {}), element("span", {}, figure(scale)));
  const box = element("figure", { class: `map ${key}` }, element("figcaption", {}, title), picture,
    ends);
  return box;
}

function extentsOf(grid) {
  const part = (from, to, kept, all) => {
    const extents = grid.shape.slice(from, to).join(" x ") || "1";
    return kept < all ? `${kept} of ${all} (${extents})` : extents;
  };
  const size = (extents) => extents.reduce((a, b) => a * b, 1);
  const above = part(0, grid.split, grid.rows.length, size(grid.shape.slice(0, grid.split)));
  const across = part(grid.split, grid.shape.length, grid.columns.length,
    size(grid.shape.slice(grid.split)));
  return `Rows: ${above}. Columns: ${across}. The element of the counterexample is framed.`;
}

function differences(cells) {
  const far = cells.filter((cell) => cell.difference !== null)
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference)).slice(0, LARGEST_LISTED);
  const head = ["index", "emitted", "wanted", "difference"].map((name) => element("th", {}, name));
  const rows = far.map((cell) => element("tr", {}, element("td", {}, cell.index),
    ...["emitted", "wanted", "difference"].map((key) => element("td", {}, figure(cell[key])))));
  return element("div", { class: "scroll" }, element("table", { class: "far" },
    element("caption", {}, "Largest differences"),
    element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
}

function heatMaps(grid, index) {
  const cells = cellsOf(grid);
  const place = `[${index.join(", ")}]`;
  const readout = element("p", { class: "readout", "aria-hidden": "true" });
  const say = (cell) => {
    readout.textContent = `${cell.index}  emitted ${figure(cell.emitted)}, wanted ` +
      `${figure(cell.wanted)}, difference ${figure(cell.difference)}`;
  };
  const scale = Math.max(largest(cells, "emitted"), largest(cells, "wanted"));
  const maps = [["emitted", scale], ["wanted", scale], ["difference", largest(cells, "difference")]]
    .map(([key, size]) => heatMap(key, grid, cells, key, size, place, say));
  const framed = cells.find((cell) => cell.index === place);
  if (framed) say(framed);
  const wide = grid.columns.length > 2 * grid.rows.length && grid.columns.length > 14;
  return [
    element("div", { class: `maps${wide ? " stacked" : ""}` }, ...maps, differences(cells)),
    readout, element("p", { class: "dim" }, extentsOf(grid)),
  ];
}
