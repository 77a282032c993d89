import { expect, test } from "vitest";
import { readAddress } from "../../../../../src/io/git/modules/address.ts";
import { explainFetchFailure } from "../../../../../src/io/git/modules/explain-fetch-failure.ts";

const failed = '"github.com/a/b" can\'t be fetched';

/** Messages of git 2.39 to 2.50, with LC_ALL=C. */
test.each([
  [
    "a private repository without credentials",
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    '"github.com/a/b": access was denied',
  ],
  [
    "a wrong token",
    "remote: Invalid username or token. Password authentication is not supported for Git operations.\nfatal: Authentication failed for 'https://github.com/a/b/'",
    '"github.com/a/b": access was denied',
  ],
  [
    "a wrong ssh key",
    "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
    '"github.com/a/b": access was denied',
  ],
  [
    "a token without the permission",
    "remote: Write access to repository not granted.\nfatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 403",
    '"github.com/a/b": access was denied',
  ],
  [
    "a repository that https does not find",
    "remote: Repository not found.\nfatal: repository 'https://github.com/a/b/' not found",
    '"github.com/a/b" doesn\'t exist, or git has no access to it',
  ],
  [
    "a repository that ssh does not find",
    "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
    '"github.com/a/b" doesn\'t exist, or git has no access to it',
  ],
  [
    "a path without a repository",
    "fatal: '/x' does not appear to be a git repository\nfatal: Could not read from remote repository.",
    '"github.com/a/b" doesn\'t exist, or git has no access to it',
  ],
  [
    "a host without an address",
    "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    `${failed}: The host can't be reached: Could not resolve host: github.com`,
  ],
  [
    "a host that refuses connections",
    "ssh: connect to host github.com port 22: Connection refused\nfatal: Could not read from remote repository.",
    `${failed}: The host can't be reached: ssh: connect to host github.com port 22: Connection refused`,
  ],
  [
    "an unknown host key",
    "No ED25519 host key is known for github.com and you have requested strict checking.\nHost key verification failed.\nfatal: Could not read from remote repository.",
    `${failed}: The host's SSH key is unknown`,
  ],
  [
    "a transport from the settings",
    "fatal: transport 'http' not allowed",
    `${failed}: qvs fetches modules and bases only by https and ssh, and git's settings rewrite the address to another protocol`,
  ],
  [
    "an unknown message, without its credentials",
    "fatal: something new about https://x:hunter2@github.com/a/b",
    `${failed}: something new about https://github.com/a/b`,
  ],
])("%s", (_, stderr, expected) => {
  const answer = { code: 128, stdout: Buffer.alloc(0), stderr, stopped: undefined };
  const explained = explainFetchFailure("github.com/a/b", answer);
  const { what, why = [], facts = [] } = explained;
  expect([what, why, facts.map(({ value }) => value)].flat().join(": ")).toBe(expected);
  expect(explained.fix).not.toBe("");
});

test.each([
  ["github.com/acme/adapters", "https://github.com/acme/adapters", "github.com/acme/adapters"],
  [
    "https://github.com/acme/adapters.git",
    "https://github.com/acme/adapters.git",
    "github.com/acme/adapters",
  ],
  ["git.acme.example:8443/a/b", "https://git.acme.example:8443/a/b", "git.acme.example:8443/a/b"],
  [
    "git@github.com:acme/adapters.git",
    "git@github.com:acme/adapters.git",
    "github.com/acme/adapters",
  ],
  ["github.com:acme/adapters", "github.com:acme/adapters", "github.com/acme/adapters"],
  [
    "ssh://git@github.com/acme/adapters",
    "ssh://git@github.com/acme/adapters",
    "github.com/acme/adapters",
  ],
])("%s is fetched from %s and cached as %s", (repo, url, key) => {
  expect(readAddress(repo)).toEqual({ url, key });
});
