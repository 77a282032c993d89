import { trustedCode } from "../../redaction/page.ts";

/**
 * Filters the objects by their content, and opens the deployments that contain them and those that
 * a link leads to. The script changes nothing on the page except visibility and one count.
 */
export const script = trustedCode`
"use strict";
(() => {
  const reveal = (hash) => {
    let each = hash === "" ? null : document.getElementById(hash.slice(1));
    for (; each !== null; each = each.parentElement) if (each.localName === "details") each.open = true;
  };
  document.addEventListener("click", (event) => {
    const href = event.target.closest("a")?.getAttribute("href") ?? "";
    if (href.startsWith("#")) reveal(href);
  });
  window.addEventListener("hashchange", () => reveal(location.hash));
  reveal(location.hash);
  const form = document.getElementById("filter");
  if (form === null) return;
  const objects = [...document.querySelectorAll("tbody.object")];
  const deployments = [...document.querySelectorAll("details.fold")];
  let openBefore;
  const hasShown = (each) => each.querySelector("tbody.object:not([hidden])") !== null;
  /** A filter opens only the deployments with an object that it shows, and then restores them. */
  const openMatching = (isFiltering) => {
    if (isFiltering) openBefore ??= deployments.map((each) => each.open);
    deployments.forEach((each, i) => {
      if (isFiltering) each.open = hasShown(each);
      else if (openBefore !== undefined) each.open = openBefore[i];
    });
    if (!isFiltering) openBefore = undefined;
  };
  const field = (name) => form.elements.namedItem(name);
  const status = form.querySelector("[role=status]");
  let texts;
  const read = (element) => (element === null ? "" : element.textContent.toLowerCase());
  /** The page contains a change of many objects only once. */
  const textsOf = () => {
    const shared = new Map();
    for (const each of document.querySelectorAll("details.common")) {
      shared.set("#" + each.id, read(each.querySelector(".lines")));
    }
    return objects.map((each) => {
      const links = [...each.querySelectorAll(".also a")];
      return [read(each), ...links.map((link) => shared.get(link.hash) ?? "")].join("\n");
    });
  };
  const apply = () => {
    const words = field("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const action = field("action").value;
    const onlyDangerous = field("dangerous").checked;
    if (words.length > 0) texts ??= textsOf();
    let shown = 0;
    objects.forEach((each, i) => {
      const isShown =
        (action === "" || each.dataset.action === action) &&
        (!onlyDangerous || "dangerous" in each.dataset) &&
        words.every((word) => texts[i].includes(word));
      if (each.hidden === isShown) each.hidden = !isShown;
      if (isShown) shown += 1;
    });
    openMatching(words.length > 0 || action !== "" || onlyDangerous);
    status.textContent = shown + " of " + objects.length + (objects.length === 1 ? " object" : " objects");
  };
  const setAll = (isOpen) => {
    if (isOpen) for (const each of deployments) each.open ||= hasShown(each);
    for (const each of objects) {
      if (each.hidden) continue;
      for (const details of each.querySelectorAll("tr > td > details")) details.open = isOpen;
    }
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  field("open").addEventListener("click", () => setAll(true));
  field("close").addEventListener("click", () => setAll(false));
  form.hidden = false;
  apply();
})();
`;
