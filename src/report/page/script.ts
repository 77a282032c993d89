import { ownCode } from "../../redaction/page.ts";

/**
 * Filters the objects by their content. The script changes nothing on the page except visibility
 * and one count.
 */
export const script = ownCode`
"use strict";
(() => {
  const form = document.getElementById("filter");
  if (form === null) return;
  const objects = [...document.querySelectorAll("tbody.object")];
  const field = (name) => form.elements.namedItem(name);
  const status = form.querySelector("[role=status]");
  let texts;
  const read = (element) => (element === null ? "" : element.textContent.toLowerCase());
  /** What is the same in many objects is on the page once. */
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
    status.textContent = shown + " of " + objects.length + (objects.length === 1 ? " object" : " objects");
  };
  const setAll = (isOpen) => {
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
