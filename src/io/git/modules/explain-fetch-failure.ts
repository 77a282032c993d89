import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import { removeCredentials } from "../../../redaction/hide-credentials.ts";
import { type GitAnswer, lastLine } from "../run-git.ts";

/**
 * Explains a failed fetch to the user. git has one exit code for all failures, so its messages
 * decide.
 * GitHub answers "not found" or asks for a password in both cases: for a private repository, and
 * for one that doesn't exist.
 */
export function explainFetchFailure(repo: string, answer: GitAnswer): UnplacedProblem {
  const { stderr, stopped, limit = 0 } = answer;
  if (stopped === "not installed") {
    return {
      code: "git-failed",
      what: cannotFetch(repo),
      why: "The program git can't be started",
      fix: "Install git",
    };
  }
  if (stopped === "too large") {
    return {
      code: "input-too-large",
      what: `"${repo}" is larger than ${limit / 1024 ** 2} MiB`,
      why: "qvs fetches no more than this from one repository",
      fix: "Keep the adapters or bases in a repository of their own",
    };
  }
  if (stopped !== undefined) {
    return {
      code: "module-not-fetched",
      what: cannotFetch(repo),
      why: "git didn't finish in time",
      fix: "Check the network connection and run again",
    };
  }
  const known = reasons.find(({ words }) => words.test(stderr));
  if (known === undefined)
    return {
      code: "module-not-fetched",
      what: cannotFetch(repo),
      facts: [{ label: "answer", value: lastLine(stderr) }],
      fix: "Run git ls-remote with this address to see the error",
    };
  const { words, quotes, what, ...rest } = known;
  const quoted = { facts: [{ label: "answer", value: findLine(words, stderr) }] };
  return { what: what(repo), ...(quotes === true ? quoted : {}), ...rest };
}

function cannotFetch(repo: string): string {
  return `"${repo}" can't be fetched`;
}

/** Returns the line of git's output that matched, without the address and the duration. */
function findLine(words: RegExp, stderr: string): string {
  const line = stderr.split("\n").find((each) => words.test(each)) ?? "";
  const bare = line.replace(/^(fatal|error): /, "").replace(/^unable to access '[^']*': /, "");
  return removeCredentials(bare.replace(/ after \d+ ms/, "").trim());
}

/** Reports whether another request for the same commit must fail too. */
export function isPermanent({ stderr, stopped }: GitAnswer): boolean {
  // A server that doesn't send single commits reports that, and might then hang up.
  if (/not our ref|unadvertised object|find remote ref|no such remote ref/.test(stderr))
    return false;
  return stopped !== undefined || reasons.some(({ words }) => words.test(stderr));
}

interface Reason extends Omit<UnplacedProblem, "what"> {
  readonly words: RegExp;
  /** True if the message quotes the matching line of git's output. */
  readonly quotes?: true;
  readonly what: (repo: string) => string;
}

/** The known failures. The first match counts, so the more certain ones are first. */
const reasons: readonly Reason[] = [
  {
    code: "module-access-denied",
    words: /Host key verification failed/,
    what: cannotFetch,
    why: "The host's SSH key is unknown",
    fix: "Add the host to ~/.ssh/known_hosts with ssh-keyscan",
    otherwise: ["use an https address"],
  },
  {
    code: "module-access-denied",
    words:
      /Authentication failed|could not read (Username|Password)|Permission denied|returned error: 40[13]|Access denied|Invalid username or (password|token)/,
    what: (repo) => `"${repo}": access was denied`,
    fix: "Check that the repository exists",
    otherwise: [
      "give git credentials that can read it: a token (QVS_MODULES_TOKEN, or the Action's input modules-token), a credential helper, or an SSH key",
    ],
  },
  {
    code: "module-repository-not-found",
    words:
      /(repository|remote:).* not found|does not exist|does not appear to be a git repository|returned error: 404/i,
    what: (repo) => `"${repo}" doesn't exist, or git has no access to it`,
    fix: "Check the address",
    otherwise: ["give git credentials for it, if the repository is private"],
  },
  {
    code: "module-repository-not-found",
    words: /returned error: 30\d/,
    what: (repo) => `"${repo}" has moved to another address`,
    why: "git doesn't follow the redirect, because it would send the token to the new address",
    fix: "Write the new address in the config",
  },
  {
    code: "module-not-fetched",
    words: /SSL certificate problem|certificate verif|server verification failed/,
    what: cannotFetch,
    why: "git doesn't trust the host's certificate",
    fix: "Check the address",
    otherwise: ["set git's http.sslCAInfo, if the host has its own certificate authority"],
  },
  {
    code: "invalid-module-source",
    words: /transport '.*' not allowed/,
    what: cannotFetch,
    why: "qvs fetches modules and bases only by https and ssh, and git's settings rewrite the address to another protocol",
    fix: "Change the insteadOf setting that rewrites the address",
    otherwise: ["change the address"],
  },
  {
    code: "module-not-fetched",
    words:
      /Could not resolve host|Couldn't connect|Connection (refused|timed out|reset)|Failed to connect|unable to access|Network is unreachable|Operation too slow|early EOF|hung up/,
    quotes: true,
    what: cannotFetch,
    why: "The host can't be reached",
    fix: "Check the network and the address, and run again",
  },
];
