import type { ProblemCode } from "../../../model/problems/problem-codes.ts";
import { lastLine, redact } from "../git-error.ts";
import type { GitAnswer } from "../run-git.ts";
import type { Refusal } from "./address.ts";

/**
 * Explains a failed fetch to the user. git has one exit code for all failures, so its messages
 * decide.
 * GitHub answers "not found" or asks for a password in both cases: for a private repository, and
 * for one that doesn't exist.
 */
export function explainFailure(repo: string, answer: GitAnswer): Refusal {
  const { stderr, stopped, limit = 0 } = answer;
  if (stopped === "not installed") {
    return {
      code: "git-failed",
      what: `Fetching ${repo} needs git, which could not be started`,
      fix: "Install git",
    };
  }
  if (stopped === "too large") {
    return {
      code: "input-too-large",
      what: `${repo} is larger than ${limit / 1024 ** 2} MiB, and no more is fetched of one repository`,
      fix: "Keep the adapters in a repository of their own",
    };
  }
  if (stopped !== undefined) {
    return {
      code: "module-not-fetched",
      what: `Fetching ${repo} took too long`,
      fix: "Check the connection and try again",
    };
  }
  const known = reasons.find(({ words }) => words.test(stderr));
  if (known === undefined)
    return {
      code: "module-not-fetched",
      what: `Fetching ${repo} failed: ${lastLine(stderr)}`,
      fix: "Try it with git ls-remote",
    };
  const reason = known.quotes === true ? `: ${lineWith(known.words, stderr)}` : "";
  return { code: known.code, what: `${known.what} ${repo}${reason}`, fix: known.fix };
}

/** Returns the line of git's output that matched, without the address and the duration. */
function lineWith(words: RegExp, stderr: string): string {
  const line = stderr.split("\n").find((each) => words.test(each)) ?? "";
  const bare = line.replace(/^(fatal|error): /, "").replace(/^unable to access '[^']*': /, "");
  return redact(bare.replace(/ after \d+ ms/, "").trim());
}

/** Reports whether another request for the same commit must fail too. */
export function isCertain({ stderr, stopped }: GitAnswer): boolean {
  // A server that doesn't send single commits reports that, and might then hang up.
  if (/not our ref|unadvertised object|find remote ref|no such remote ref/.test(stderr))
    return false;
  return stopped !== undefined || reasons.some(({ words }) => words.test(stderr));
}

interface Reason extends Refusal {
  readonly words: RegExp;
  /** True if the message quotes the matching line of git's output. */
  readonly quotes?: true;
  readonly code: ProblemCode;
}

/** The known failures. The first match counts, so the more certain ones are first. */
const reasons: readonly Reason[] = [
  {
    code: "module-access-denied",
    words: /Host key verification failed/,
    what: "The host's ssh key is not known, fetching",
    fix: "Add the host to ~/.ssh/known_hosts (ssh-keyscan), or use an https address",
  },
  {
    code: "module-access-denied",
    words:
      /Authentication failed|could not read (Username|Password)|Permission denied|returned error: 40[13]|Access denied|Invalid username or (password|token)/,
    what: "Access was refused to the repository",
    fix: "Check that it exists and that git has credentials for it here: a token (QVS_MODULES_TOKEN, or the Action's input modules-token) that may read it, a credential helper, or an ssh key",
  },
  {
    code: "module-repository-not-found",
    words:
      /(repository|remote:).* not found|does not exist|does not appear to be a git repository|returned error: 404/i,
    what: "There is no repository, or no access to it, at",
    fix: "Check the address; for a private repository give git credentials for it",
  },
  {
    code: "module-repository-not-found",
    words: /returned error: 30\d/,
    what: "The host says that this repository is elsewhere now, and a token is not sent to where that might be:",
    fix: "Write its new address into the QVS config",
  },
  {
    code: "module-not-fetched",
    words: /SSL certificate problem|certificate verif|server verification failed/,
    what: "The host's certificate is not one that git trusts, fetching",
    fix: "Check the address; for a host with a certificate authority of its own set git's http.sslCAInfo",
  },
  {
    code: "invalid-module-source",
    words: /transport '.*' not allowed/,
    what: "Only https and ssh are used to fetch modules, not what git's settings make of",
    fix: "Change the address, or the insteadOf setting that rewrites it",
  },
  {
    code: "module-not-fetched",
    words:
      /Could not resolve host|Couldn't connect|Connection (refused|timed out|reset)|Failed to connect|unable to access|Network is unreachable|Operation too slow|early EOF|hung up/,
    quotes: true,
    what: "The host could not be reached, fetching",
    fix: "Check the network and the address, and try again",
  },
];
