/**
 * Returns the words of a text for the index of the search. A word keeps its hyphens, as in
 * `--on-failure` and `field-conflict`. Its parts are words, too.
 *
 * The browser runs this function from its source text, so it must not use anything around it.
 */
const tokenize = (text: string): string[] => {
  const plain = text.replace(/&(?:#?\w+);/g, " ");
  const words = plain.match(/[\p{L}\p{N}_-]*[\p{L}\p{N}]/gu) ?? [];
  return words.flatMap((word) => {
    const bare = word.replace(/^[-_]+/, "");
    return [...new Set([word, bare, ...bare.split("-")])].filter((each) => each !== "");
  });
};

/** Returns the words of a query. Only the whole of a flag matches it. */
const tokenizeQuery = (text: string): string[] => {
  const words = text.match(/[\p{L}\p{N}_-]*[\p{L}\p{N}]/gu) ?? [];
  return words.flatMap((word) =>
    word.startsWith("-") ? [word] : [...new Set([word, ...word.split("-")])],
  );
};

/** Tolerates typing errors, except in flags. */
const fuzzy = (term: string): number | false => (term.startsWith("-") ? false : 0.2);

/** Ranks a flag or a code above the other words of a query. */
const boostTerm = (term: string): number => (term.includes("-") ? 4 : 1);

/** Ranks the pages of commands above others that mention a flag. */
const boostDocument = (id: string, term: string): number =>
  term.startsWith("-") && id.includes("/reference/cli/") ? 4 : 1;

/** The options of the search in the site, as MiniSearch knows them. */
export const miniSearch = {
  options: { tokenize },
  searchOptions: {
    tokenize: tokenizeQuery,
    fuzzy,
    boostTerm,
    boostDocument,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
  },
};
