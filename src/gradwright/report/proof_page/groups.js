// The tree of claims: the flat list of the page, put under headings that fold.

const OUTER = { layer: "layer", kind: "kind" };
const INNER = { layer: "kind", kind: "layer" };
const FEW = 6;

function duration(seconds) {
  return seconds >= 0.1 ? `${seconds.toFixed(2)} s` : `${(1000 * seconds).toFixed(1)} ms`;
}

function grouped(claims, key) {
  const groups = new Map();
  for (const claim of claims) {
    const name = claim.dataset[key];
    groups.set(name, [...(groups.get(name) ?? []), claim]);
  }
  return groups;
}

function tally(claims) {
  const counts = ["proved", "refuted", "unknown"].map((verdict) =>
    [verdict, claims.filter((claim) => claim.dataset.verdict === verdict).length]);
  return element("span", { class: "counts" }, ...counts.filter(([, count]) => count)
    .map(([verdict, count]) => element("span", { class: verdict }, `${count} ${verdict}`)));
}

function group(name, claims, content) {
  const seconds = claims.reduce((total, claim) => total + Number(claim.dataset.seconds), 0);
  const made = element("details", { class: "group" },
    element("summary", {}, element("span", { class: "group-name" }, name), tally(claims),
      element("span", { class: "seconds" }, duration(seconds))), ...content);
  return made;
}

function treeOf(claims, grouping) {
  if (grouping === "time") {
    return [...claims].sort((a, b) => Number(b.dataset.seconds) - Number(a.dataset.seconds));
  }
  return [...grouped(claims, OUTER[grouping])].map(([name, members]) => {
    const inner = grouped(members, INNER[grouping]);
    const flat = inner.size === 1 || members.length <= FEW;
    const content = flat ? members : [...inner].map(([below, few]) => group(below, few, few));
    return group(name, members, content);
  });
}
