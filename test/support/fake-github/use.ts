import { afterEach, beforeEach, expect } from "vitest";
import { type FakeGitHub, startFakeGitHub } from "./server.ts";

/**
 * Starts a fake GitHub for each test. A test file calls it at its top.
 * Each test fails if a request violates GitHub's API description.
 */
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
