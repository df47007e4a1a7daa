// What the page does: unpack the record, draw a claim when it is opened, filter, group, print.

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);

async function unpacked() {
  const bytes = Uint8Array.from(atob(byId("record").textContent), (c) => c.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(plain).text());
}

const record = await unpacked();
const prepared = [];
const texts = () => {
  if (!prepared.length) prepared.push(...record.texts.map(prepareText));
  return prepared;
};

const claims = [...document.querySelectorAll(".claim")];
const chips = [...document.querySelectorAll(".chip")];
const tree = byId("tree");
const PRINTED_OPEN = 12;
const OPENED = 60;
const FAILED = ".claim.refuted, .claim.unknown";

function draw(claim) {
  if (claim.dataset.drawn) return;
  claim.dataset.drawn = "yes";
  const known = record.claims[Number(claim.dataset.claim)];
  const shown = panels(known, claim.dataset.kind, texts());
  claim.querySelector(".panels").append(...shown);
  requestAnimationFrame(() => shown.forEach((each) => each.settle()));
  if (known.grid) claim.querySelector(".heat").append(...heatMaps(known.grid, known.index));
}

function groups() {
  return [...tree.querySelectorAll(".group")];
}

function filter() {
  const wanted = new Set(chips.filter((chip) => chip.ariaPressed === "true")
    .map((chip) => chip.dataset.filter));
  const words = byId("search").value.trim().toLowerCase();
  let shown = 0;
  for (const claim of claims) {
    const about = `${claim.querySelector(".name").textContent} ${claim.dataset.layer}`;
    claim.hidden = !wanted.has(claim.dataset.verdict) || !about.toLowerCase().includes(words);
    shown += claim.hidden ? 0 : 1;
  }
  for (const each of groups()) each.hidden = !each.querySelector(".claim:not([hidden])");
  byId("none").hidden = shown > 0;
}

function arrange() {
  tree.replaceChildren(...treeOf(claims, byId("grouping").value));
  const none = groups().length === 0;
  byId("fold").hidden = none;
  const few = claims.length <= OPENED;
  for (const each of groups()) each.open = few || each.querySelector(FAILED) !== null;
  sayFold(few);
  filter();
}

function sayFold(open) {
  byId("fold").ariaExpanded = String(open);
  byId("fold").textContent = open ? "Collapse all" : "Expand all";
}

function fold(open) {
  for (const each of groups()) each.open = open;
  sayFold(open);
}

function reveal(claim) {
  claim.hidden = false;
  for (let each = claim; each !== tree; each = each.parentElement) {
    if (each.matches("details")) each.open = true;
    each.hidden = false;
  }
  draw(claim);
  claim.scrollIntoView({ block: "start" });
  claim.querySelector("summary").focus({ preventScroll: true });
}

function followHash() {
  const claim = document.getElementById(location.hash.slice(1));
  if (claim && claim.matches(".claim")) reveal(claim);
}

for (const claim of claims) claim.addEventListener("toggle", () => claim.open && draw(claim));
for (const chip of chips) {
  chip.addEventListener("click", () => {
    chip.ariaPressed = String(chip.ariaPressed !== "true");
    filter();
  });
}
byId("search").addEventListener("input", filter);
byId("grouping").addEventListener("change", arrange);
byId("fold").addEventListener("click", () => fold(byId("fold").ariaExpanded !== "true"));
addEventListener("hashchange", followHash);
addEventListener("beforeprint", () => {
  fold(true);
  const failed = claims.filter((claim) => claim.dataset.verdict !== "proved");
  for (const claim of claims.length <= PRINTED_OPEN ? claims : failed) {
    draw(claim);
    claim.open = true;
  }
});

arrange();
const first = claims.find((claim) => claim.dataset.verdict !== "proved") ??
  (claims.length === 1 ? claims[0] : undefined);
if (location.hash) followHash();
else if (first) {
  draw(first);
  first.open = true;
}
document.documentElement.dataset.ready = "yes";
