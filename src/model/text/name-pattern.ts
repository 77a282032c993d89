/** Reports whether a word is a glob pattern for names. Names are DNS labels. */
export function isNamePattern(word: string): boolean {
  return /[*?[{]/.test(word);
}
