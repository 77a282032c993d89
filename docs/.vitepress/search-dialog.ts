interface Plugin {
  readonly name: string;
  readonly enforce: "pre";
  transform(code: string, id: string): string | undefined;
}

/** Parts of the theme's search, most of which assistive technology can't use, with replacements. */
const replacements: readonly (readonly [before: string | RegExp, after: string])[] = [
  // A dialog, not a button that contains all others.
  [
    /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  // A list of links, since an option can't contain a link.
  [/:role="results\?\.length \? 'listbox' : undefined"/, ""],
  [/:aria-selected="selectedIndex === index \? 'true' : 'false'"\s+role="option"/, ""],
  [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ""],
  [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
  // Show the place of the longest word, such as a flag, and not of the first.
  [
    /excerpt\s+\.querySelector\('mark\[data-markjs="true"\]'\)\s+\?\./,
    `[...excerpt.querySelectorAll('mark[data-markjs="true"]')]
      .sort((a, b) => b.textContent.length - a.textContent.length)[0]?.`,
  ],
  ['class="title-icon"', 'class="title-icon" aria-hidden="true"'],
];

/** Corrects the roles in the theme's search. Fails if the theme has changed. */
export function searchDialog(): Plugin {
  return {
    name: "search-dialog",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined;
      return replacements.reduce((text, [before, after]) => {
        const replaced = text.replace(before, after);
        if (replaced === text) throw new Error(`The search of the theme has no ${before}`);
        return replaced;
      }, code);
    },
  };
}
