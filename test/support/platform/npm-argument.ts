/**
 * Returns true if npm reads an argument as a repository on GitHub instead of a file. Arguments
 * that start with a dot or a slash, and names with a second slash, are files.
 * Source: `isGitHubShorthand` of hosted-git-info, which npm-package-arg calls before it looks for
 * a file.
 */
export function isRepositoryArgument(argument: string): boolean {
  return /^[^\s./@:#][^\s/@:#]*\/[^\s/@:#]+(?:#.*)?$/.test(argument);
}
