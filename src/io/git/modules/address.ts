import type { UnplacedProblem } from "../../../model/problems/problem.ts";

/** The address of a module's repository. */
export interface ModuleAddress {
  /** The URL that git receives. */
  readonly url: string;
  /** The key in the cache. All spellings of one repository have the same key. */
  readonly key: string;
}

const hostAndPath = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?\/[^\s:?#]+$/i;
const userAtHost = /^[\w.-]+@[\w.-]+:[^\s]+$/;
/** Kustomize writes `ssh://github.com/acme/bases` in this form. */
const hostAlone = /^[a-z0-9-]+(\.[a-z0-9-]+)+:[^\s:][^\s]*$/i;

/**
 * Reads the `repo` of a module: `github.com/acme/adapters`, an https or ssh URL, or
 * `git@host:path`.
 */
export function readAddress(repo: string): ModuleAddress | UnplacedProblem {
  if (repo.startsWith("-") || hasControlCharacters(repo)) return unknown(repo);
  if (/^https:\/\//i.test(repo)) return readHttps(repo);
  if (/^ssh:\/\//i.test(repo)) return readSsh(repo);
  if (userAtHost.test(repo)) return { url: repo, key: cacheKey(repo.replace(":", "/")) };
  if (hostAndPath.test(repo)) return readHttps(`https://${repo}`);
  if (hostAlone.test(repo)) return { url: repo, key: cacheKey(repo.replace(":", "/")) };
  return unknown(repo);
}

function hasControlCharacters(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\x7f");
}

function readHttps(repo: string): ModuleAddress | UnplacedProblem {
  const url = URL.parse(repo);
  if (url === null || url.pathname === "/") return unknown(repo);
  if (url.username === "" && url.password === "") return { url: url.href, key: cacheKey(url.href) };
  return {
    code: "credentials-in-address",
    what: `The address of ${url.host}${url.pathname} contains a user name or token`,
    fix: "Remove the user name or token: git uses its own credential helpers and insteadOf settings",
  };
}

function readSsh(repo: string): ModuleAddress | UnplacedProblem {
  const url = URL.parse(repo);
  // ssh interprets a host that begins with a hyphen as an option.
  if (url === null || /^-/.test(url.hostname) || /^-/.test(url.username)) return unknown(repo);
  if (url.password === "") return { url: url.href, key: cacheKey(url.href) };
  return {
    code: "credentials-in-address",
    what: `The address of ${url.host}${url.pathname} contains a password`,
    fix: "Remove the password and use an SSH key",
  };
}

/**
 * Returns the cache key. `https://github.com/acme/adapters.git` and `git@github.com:acme/adapters`
 * have the same key, because they have the same commits.
 */
function cacheKey(url: string): string {
  return url
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/^[^/@]*@/, "")
    .replace(/(?<!\/)\/+$/, "")
    .replace(/\.git$/, "");
}

function unknown(repo: string): UnplacedProblem {
  return {
    code: "invalid-module-source",
    what: `"${repo.replace(/\/\/[^/@]*@/, "//")}" isn't the address of a Git repository`,
    fix: "Write it as HOST/OWNER/NAME (github.com/acme/adapters), https://…, ssh://… or git@HOST:OWNER/NAME",
  };
}
