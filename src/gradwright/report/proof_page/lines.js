// The lines of a claim: cut out of the whole text by following which statement uses which.

const FIRST_SHOWN = 22;
const SITE_SHOWN = 60;

function prepareText(record) {
  const lines = record.text.split("\n");
  const statements = record.statements.map(([first, span, ...back], number) => ({
    first, last: first + span, uses: back.map((distance) => number - distance),
  }));
  const users = statements.map(() => []);
  statements.forEach((each, number) => each.uses.forEach((use) => users[use].push(number)));
  const comments = [0];
  lines.forEach((line, i) => {
    const outside = /^\s*(}|func\.func|module)/.test(line);
    comments.push(/^\s*\/\//.test(line) ? i + 1 : outside ? 0 : comments[i]);
  });
  return { name: record.name, lines, statements, users, comments };
}

// Return the distance of each statement that is reached from the starts.
function reached(starts, next, allowed = () => true) {
  const distance = new Map(starts.map((start) => [start, 0]));
  const queue = [...distance.keys()];
  for (let i = 0; i < queue.length; i += 1) {
    for (const other of next(queue[i])) {
      if (distance.has(other) || !allowed(other)) continue;
      distance.set(other, distance.get(queue[i]) + 1);
      queue.push(other);
    }
  }
  return distance;
}

const backwards = (text) => (number) => text.statements[number].uses;

// Forward: what lies between the argument of a gradient and the value that is differentiated.
function forwardSlice(claim, text) {
  const needed = reached(claim.reference, backwards(text));
  if (claim.wrt === null) return needed;
  return reached([claim.wrt], (number) => text.users[number], (number) => needed.has(number));
}

// What computes the claimed value; values of the forward pass end it, where it is the same text.
function claimedSlice(claim, judged, reference) {
  if (judged !== reference) return reached([claim.result], backwards(judged));
  const forward = reached(claim.reference, backwards(judged));
  forward.delete(claim.result);
  const uses = backwards(judged);
  return reached([claim.result], (number) => (forward.has(number) ? [] : uses(number)));
}

// A site is a range of lines; what the claimed value does not depend on has no part in it.
function siteStatements(text, site, slice) {
  if (!site) return [];
  const inside = ({ first }) => first >= site[0] && first <= site[1];
  return [...slice.keys()].filter((number) => inside(text.statements[number]));
}

const TOKENS = new RegExp([
  String.raw`(?<comment>\/\/.*)`,
  String.raw`(?<value>%[\w.$#-]+)`,
  String.raw`(?<type>tensor<[^>]*>)`,
  String.raw`(?<op>\b(?:stablehlo|chlo|func)\.[\w.]+|\b(?:call|return)\b)`,
  String.raw`(?<text>"[^"]*")`,
  String.raw`(?<number>(?<![\w.])-?\d[\w.+-]*)`,
].join("|"), "g");

function coloured(line) {
  const parts = [];
  let done = 0;
  for (const match of line.matchAll(TOKENS)) {
    if (match.index > done) parts.push(line.slice(done, match.index));
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    parts.push(element("span", { class: `t-${kind}` }, match[0]));
    done = match.index + match[0].length;
  }
  parts.push(line.slice(done));
  return parts;
}

// Return the numbers of the lines to show: of the chosen statements, and the comments above them.
function linesOf(text, chosen) {
  const numbers = new Set();
  for (const number of chosen) {
    const { first, last } = text.statements[number];
    if (first > 0 && text.comments[first]) numbers.add(text.comments[first]);
    for (let line = Math.max(first, 1); line <= last; line += 1) numbers.add(line);
  }
  return [...numbers].sort((a, b) => a - b);
}

function codeRows(text, chosen, marks) {
  const rows = [];
  let before = 0;
  for (const line of linesOf(text, chosen)) {
    if (before && line > before + 1) {
      rows.push(element("li", { class: "gap" }, `⋯ ${line - before - 1} ${line - before === 2 ? "line" : "lines"}`));
    }
    const kinds = marks.filter((mark) => line >= mark.first && line <= mark.last);
    const label = kinds.map((mark) => mark.label).join(", ");
    const content = element("code", {}, ...coloured(text.lines[line - 1]));
    const row = element("li", { class: ["line", ...kinds.map((mark) => mark.kind)].join(" ") },
      element("span", { class: "number", "aria-hidden": "true" }, String(line)), content);
    row.dataset.line = line;
    if (label) row.append(element("span", { class: "label" }, label));
    rows.push(row);
    before = line;
  }
  return rows;
}

// Return a panel with the statements nearest to where a slice starts, and a button for the others.
function panel(title, text, slice, forced, marks) {
  const nearest = [...slice.entries()].sort((a, b) => a[1] - b[1]).map(([number]) => number);
  const whole = new Set([...nearest, ...forced]);
  const few = new Set([...nearest.slice(0, FIRST_SHOWN), ...forced]);
  const list = element("ol", { class: "code" }, ...codeRows(text, few, marks));
  const code = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title },
    list);
  const head = element("h4", {}, title, element("span", { class: "dim" }, ` ${text.name}`));
  const box = element("section", { class: "panel" }, head, code);
  box.settle = () => {
    const aim = list.querySelector(".site") ?? list.querySelector(".result");
    if (aim) code.scrollTop = aim.offsetTop - list.offsetTop - code.clientHeight / 3;
  };
  if (few.size < whole.size) {
    const more = element("button", { type: "button", class: "more" },
      `Show all ${whole.size} statements`);
    more.addEventListener("click", () => {
      list.replaceChildren(...codeRows(text, whole, marks));
      more.remove();
    });
    box.append(more);
  }
  return box;
}

const TITLES = { gradient: "Forward", equal: "First text" };
const CLAIMED = { gradient: "Claimed gradient", equal: "Second text" };

function mark(text, number, kind, label) {
  const { first, last } = text.statements[number];
  return { first, last, kind, label };
}

function panels(claim, kind, texts) {
  if (claim.result === undefined || claim.result === null) return [];
  const judged = texts[0];
  const reference = texts[texts.length - 1];
  const shown = [];
  if (claim.reference.length) {
    const marks = claim.reference.map((number) => mark(reference, number, "wanted", "value"));
    if (claim.wrt !== null) marks.push(mark(reference, claim.wrt, "wrt", "argument"));
    const ends = [...claim.reference, ...(claim.wrt === null ? [] : [claim.wrt])];
    shown.push(panel(TITLES[kind] ?? "Measured by", reference, forwardSlice(claim, reference),
      ends, marks));
  }
  const slice = claimedSlice(claim, judged, reference);
  const site = siteStatements(judged, claim.site, slice);
  const marks = [mark(judged, claim.result, "result", "claimed"),
    ...site.map((number) => mark(judged, number, "site", "look here"))];
  shown.push(panel(CLAIMED[kind] ?? "Claimed value", judged, slice, site.slice(0, SITE_SHOWN),
    marks));
  return shown;
}
