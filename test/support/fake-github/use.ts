import { afterEach, beforeEach, expect } from "vitest";
import { type FakeGitHub, startFakeGitHub } from "./server.ts";

/** A GitHub for each test, to be called at the top of a file: what is asked of it must be as GitHub describes its API. */
export function useFakeGitHub(): () => FakeGitHub {
  let github: FakeGitHub;
  beforeEach(async () => {
    github = await startFakeGitHub();
  });
  afterEach(async () => {
    await github.close();
    expect(github.violations).toEqual([]);
  });
  return () => github;
}
